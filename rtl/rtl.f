# SPDX-License-Identifier: Apache-2.0
# The sources of the fabric, packages first, paths from here. $GEN/ is what rtl/config generates for one
# configuration, and weft_pkg.sv of it comes before everything in this list.
$GEN/weft_counters_pkg.sv
$GEN/weft_registers_pkg.sv
cache/l2_pkg.sv
link/weft_cost_pkg.sv

$GEN/weft_registers.sv
cache/crossbar.sv
cache/l1.sv
cache/l2.sv
cache/l2_admit.sv
cache/l2_answers.sv
cache/l2_counts.sv
cache/l2_data.sv
cache/l2_outputs.sv
cache/l2_release.sv
cache/l2_tags.sv
cache/misses.sv
cache/releases.sv
common/arbiter.sv
common/atomic.sv
common/delay_fifo.sv
common/fifo.sv
common/ram.sv
common/ram_dual.sv
common/replacement.sv
common/stream_mux.sv
fabric.sv
home/directory.sv
home/directory_baseline.sv
home/directory_policies.sv
home/fetches.sv
home/forward.sv
home/markers.sv
home/memory.sv
home/tracker.sv
host/counters.sv
host/host_regs.sv
host/node_counts.sv
link/link.sv
link/link_lane.sv
link/switch_class.sv
link/switch_fabric.sv
link/switch_output.sv
node.sv
