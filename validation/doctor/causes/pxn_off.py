# SPDX-License-Identifier: LGPL-2.1-or-later
"""PXN is off: a GPU does not send through the NIC of another GPU of its host."""

from validation.doctor.causes.cause import stated_alone

CAUSE = stated_alone(
    "pxn-off",
    "PXN is off: an all-to-all connects each GPU to each other GPU, across rails",
    "env | grep NCCL_PXN_DISABLE  # NCCL_DEBUG=INFO names PXN behind a channel")
