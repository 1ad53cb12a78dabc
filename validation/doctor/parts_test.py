# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are clusters on bases resolved as the simulator resolves them?"""

import json
import unittest

from common.programs import InputError
from validation.doctor.scenario import parts


class Parts(unittest.TestCase):
    def test_clusters_with_the_gpus_of_a_log_are_found(self):
        for text, some, none in (("device 0 [0x18] Tesla V100-SXM2-32GB", "dgx1v", "mi300x"),
                                 ("AMD Instinct MI300X", "mi300x", "dgx1v"),
                                 ("NVIDIA H1000 and my-A100x", "", "h100_nvswitch")):
            found = parts.clusters_with_gpus_of(text)
            self.assertEqual((some in found, none in found), (bool(some), False), text)

    def test_base_of_a_cluster_is_resolved(self):
        found = parts.resolved("cluster", {"base": "dgx1v", "link": {"bandwidth": "1 GB/s"}})
        self.assertEqual(found["link"], {"kind": "infiniband", "bandwidth": "1 GB/s",
                                         "latency": "0.6 us"})
        self.assertEqual(found["host"]["cores"], 20)
        self.assertEqual(json.loads(json.dumps(found)), found)

    def test_network_of_another_type_keeps_only_the_keys_of_any(self):
        found = parts.resolved("cluster", "h100_rails")
        self.assertEqual((found["network"], found["pods"]), ("rails", 2))
        self.assertNotIn("hosts", found)
        self.assertIn("nvswitch", found["host"])
        same = parts.resolved("cluster", {"base": "h100_nvswitch", "network": "star"})
        self.assertEqual(same["hosts"], 2)

    def test_cluster_may_be_a_map(self):
        name = "{base: h100_nvswitch, hosts: 4, link: {bandwidth: 100 Gbit/s}}"
        found = parts.network(name)
        self.assertEqual((found["hosts"], found["link"]["bandwidth"]), (4, "100 Gbit/s"))
        self.assertEqual(parts.load(parts.path_of("cluster", name))["base"], "h100_nvswitch")
        for text, said in (("{base: h100_nvswitch", "expected YAML"),
                           ("{base: none}", "unknown cluster 'none'"),
                           ("{hosts: 4}", "expected a cluster with the key network")):
            with self.assertRaises(InputError) as raised:
                parts.network(text)
            self.assertIn(said, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
