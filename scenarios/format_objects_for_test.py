# SPDX-License-Identifier: LGPL-2.1-or-later
"""The objects of scenario files, for format_test.py: where each is and how to make one."""

GOOD = {
    "question": "q",
    "cluster": {
        "network": "star", "hosts": 2, "host": {"type": "simple"},
        "link": {"bandwidth": "1 GB/s", "latency": "1 us"},
    },
    "library": {
        way: {"latency": "0 s", "eager_limit": "1 KiB"} for way in ("self", "shm", "network")
    },
    "placement": {"hosts": "1-1"},
    "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "1 KiB"},
}
TRANSPORT = "{latency: 0 s, eager_limit: 1 KiB}"
GPU_WAYS = [f"library.{way}={TRANSPORT}" for way in ("p2p", "staged", "gdr")]
PROTOCOL = "{start: 0 s, hop: 0 s, block: 1 GB/s}"
BLOCKS = GPU_WAYS + [
    f"library.blocks={{launch: 0 s, generation: ampere, LL: {PROTOCOL}, "
    f"LL128: {PROTOCOL}, Simple: {PROTOCOL}}}"]
CABLE = "{bandwidth: 1 GB/s, latency: 1 us}"
FAMILIES = {
    "star": ["cluster.hosts=2"],
    "two_level": ["cluster={base: two_level}"],
    "fat_tree": ["cluster={base: fat_tree}"],
    "torus": ["cluster={base: torus}"],
    "dragonfly": ["cluster={network: dragonfly, routers: 1, hosts_per_router: 1, "
                  "global_ports: 1, link: {bandwidth: 1 GB/s, latency: 1 us}, "
                  "host: {type: simple}}"],
    "rails": ["cluster={network: rails, hosts_per_pod: 2, rails: 1, spines: 0, "
              "link: {bandwidth: 1 GB/s, latency: 1 us}, host: {type: simple}}"],
    "fabric": ["cluster.network=fabric", "cluster.switches=[a, b]",
               "cluster.hosts=[{name: host0, to: [a]}, {name: host1, to: [b]}]",
               "cluster.trunks=[{from: a, to: b}]"],
}
HOSTS = {
    "simple": ["cluster.host={type: simple}"],
    "numa": ["cluster.host={type: numa}"],
    "custom": [f"cluster.host={{type: custom, domains: [{{}}], "
               f"links: [{{from: numa0, to: nic0, {CABLE[1:-1]}}}]}}"],
    "pcie_tree": [f"cluster.host={{type: pcie_tree, switch_uplink: {CABLE}, gpu: {CABLE}}}"],
}
# Maps of a scenario: what to set first in each, and where it stands.
MAPS = {
    "scenario": ([], ""),
    "job": ([], "job."),
    "library": (["library.base=ideal"], "library."),
    "transport": ([], "library.shm."),
    "gpu_work": (GPU_WAYS, "library.gpu."),
    "blocks": (BLOCKS, "library.blocks."),
    "protocol": (BLOCKS, "library.blocks.LL."),
    "spread": (["library.spread={}"], "library.spread."),
    "neighbour": (["neighbours.x={placement: [{host: 0}, {host: 1}], job: "
                   "{collective: broadcast, algorithm: flat, bytes: 1 B}}"], "neighbours.x."),
    "storage": (["storage={bandwidth: 1 GB/s}"], "storage."),
    "noise": (["job.noise={spread: 0}"], "job.noise."),
    "detours": (["job.noise.detours={every: 1 s, takes: 1 s}"], "job.noise.detours."),
    "stragglers": (["job.noise.stragglers={ranks: [], slowdown: 1}"], "job.noise.stragglers."),
    **{family: (changes, "cluster.") for family, changes in FAMILIES.items()},
    **{host: (changes, "cluster.host.") for host, changes in HOSTS.items()},
    "link": ([], "cluster.link."),
    "uplink": (FAMILIES["two_level"], "cluster.uplink."),
    "gpu": (HOSTS["pcie_tree"], "cluster.host.gpu."),
    "staging": ([*HOSTS["pcie_tree"], "cluster.host.staging={latency: 0 s}"],
                "cluster.host.staging."),
    "nvlink": (HOSTS["pcie_tree"] + [f"cluster.host.nvlink={CABLE}"], "cluster.host.nvlink."),
    "nvswitch": (HOSTS["pcie_tree"] + [f"cluster.host.nvswitch={CABLE}"], "cluster.host.nvswitch."),
    "socket_link": (HOSTS["numa"], "cluster.host.socket_link."),
    "nic": (HOSTS["numa"], "cluster.host.nic."),
    "switch_nic": (HOSTS["pcie_tree"] + ["cluster.host.nic={switch: 0}"], "cluster.host.nic."),
    "placement": ([], "placement."),
    "memory": (["placement.memory={bind: 0}"], "placement.memory."),
    **{form: ([f"placement={{{form}: x}}"], "placement.") for form in ("tf_config", "pinning")},
    "hostfile": (["placement={hostfile: hosts}"], "placement.")}
# Maps of a study, each around a key that is unknown.
STUDIES = {
    "study": lambda bad: {"scenario": "good.yaml", **bad},
    "sweep": lambda bad: {"scenario": "good.yaml", "sweep": bad},
    "latin": lambda bad: {"scenario": "good.yaml", "sweep": {"latin": {
        "n": 1, "keys": {}, **bad}}},
    "range": lambda bad: {"scenario": "good.yaml", "sweep": {"grid": {"job.bytes": {
        "from": "1 B", "to": "2 B", "steps": 2, **bad}}}},
}
LAYER = "{name: a, parameters: 1, flops: 1}"
MODEL = f"{{records: 1, record: 1 B, batch: 1, step: 1 s, layers: [{LAYER}]}}"
TRAINING = ["job.bytes=null", "job.collective=training", "job.algorithm=ddp",
            f"job.options.model={MODEL}"]
MAPS["model"] = (TRAINING, "job.options.model.")
MAPS["input"] = (TRAINING + ["job.options.input.rate=1"], "job.options.input.")
MAPS["stalls"] = (TRAINING + ["job.options.input={rate: 1, stalls: {every: 1 s, takes: 1 s}}"],
                  "job.options.input.stalls.")
MAPS["checkpoint"] = (TRAINING + ["job.options.checkpoint.every=1"], "job.options.checkpoint.")
LANGUAGE = "{experts: 4, layers: 2, hidden: 4, heads: 2, sequence: 8}"
CHIP = "{flops: 1e12, memory_bandwidth: 1 GB/s}"
PROGRAM = ["job.bytes=null", "job.collective=null", "job.algorithm=null", "job.program=llm",
           f"job.options.model={LANGUAGE}", f"job.options.gpu={CHIP}"]
MAPS["language_model"] = (PROGRAM, "job.options.model.")
MAPS["latent"] = (PROGRAM + ["job.options.model.latent.keys=4"], "job.options.model.latent.")
MAPS["llm_gpu"] = (PROGRAM, "job.options.gpu.")
MAPS["kernels"] = (PROGRAM + ["job.options.gpu.kernels.matrix=1"], "job.options.gpu.kernels.")
MAPS["sizes"] = (["job.collective=alltoallv", "job.algorithm=posted",
                  "job.options.sizes={imbalance: 1}"], "job.options.sizes.")
MAPS["compression"] = (TRAINING + ["job.options.compression.ratio=1"], "job.options.compression.")
MAPS["startup"] = (TRAINING + ["job.options.startup.broadcast=binomial"], "job.options.startup.")
SERVERS = TRAINING + ["job.algorithm=parameter_server", "job.options.serialisation.tensor=0 s"]
MAPS["serialisation"] = (SERVERS, "job.options.serialisation.")
MAPS["trace"] = (["job={trace: {files: all_reduce_4, every_rank_as: 0}}"], "job.trace.")
MAPS["routing"] = (PROGRAM + ["job.options.routing.imbalance=1"], "job.options.routing.")
for _key in ("logging", "garbage_collection"):
    MAPS[_key] = (PROGRAM + [f"job.options.{_key}.takes=1 s"], f"job.options.{_key}.")
MAPS["llm_checkpoint"] = (PROGRAM + ["job.options.checkpoint.takes=1 s"],
                          "job.options.checkpoint.")
MAPS["groups"] = (PROGRAM, "job.groups.")
STEPS = [{"compute": "1 s"}, {"delay": "1 s"}, {"load": "1 B"}, {"store": "1 B"}, {"wait": "a"},
         {"send": "1 B", "to": "next"}, {"receive": "1 B", "from": "next"}, {"allreduce": "1 B"},
         {"together": [{"send": "1 B", "to": 1}]}, {"repeat": 2, "steps": [{"wait": "a"}]}]
OPTIONS = {
    "segment": ["job.algorithm=ring_segmented"], "sizes": MAPS["sizes"][0][:2],
    "rounds": ["job.collective=pingpong", "job.algorithm=blocking"],
    "compute": ["job.collective=overlap", "job.algorithm=sender"],
    "root": ["job.collective=broadcast", "job.algorithm=binomial"],
    "rings": ["job.algorithm=parallel_rings"], "threads": ["job.algorithm=ring_threads"],
    **dict.fromkeys(("algorithm", "protocol", "channels", "sms", "gpus_per_thread"),
                    ["job.algorithm=nccl"]),
    **{option: ["job.algorithm=two_level"] for option in ("inside", "between", "item")},
    **dict.fromkeys(("servers", "steps", "update", "bound"),
                    ["job.collective=parameter_server", "job.algorithm=stale_synchronous"]),
    **dict.fromkeys(("model", "batch", "exchange", "overlap", "bucket", "input", "checkpoint",
                     "element", "compression", "startup", "epochs",
                     "variation", "copy", "hook"), TRAINING),
    **{option: [*TRAINING, "job.algorithm=asynchronous_parameter_server"]
       for option in ("serialisation", "staging", "n_push", "n_fetch", "servers_by",
                      "whole_below")},
    **dict.fromkeys(("pause", "default_stream", "push_share", "own_copy"),
                    ["job.collective=streaming_exchange", "job.algorithm=free_running"]),
    **dict.fromkeys(("fusion", "cycle", "negotiation"), [*TRAINING, "job.algorithm=horovod"]),
    "bytes_per_pack": [*TRAINING, "job.algorithm=multi_worker_mirrored"],
    **{option: PROGRAM for option in
       ("gpu", "efficiency", "precision", "gradient", "attention", "launch", "recompute",
        "sequence", "micro_batch", "micro_batches", "schedule", "fewer_at_ends", "border_parts",
        "sequence_parallel", "tensor_overlap", "zero", "shard", "prefetch", "step_overhead",
        "tensor_exchange", "expert_exchange", "routing", "logging", "garbage_collection",
        "context_exchange", "gradient_norm", "loss_scaling", "gradient_copy", "optimiser",
        "fragmentation")},
    "stage_parts": PROGRAM + ["placement=1x2", "job.groups={pp: 2}",
                              "job.options.schedule=interleaved", "job.options.micro_batches=2",
                              "job.options.model.layers=4"],
}
