// SPDX-License-Identifier: Apache-2.0

/// A WRITE whose mask has holes leaves as one WRITE for each run of bytes, lowest first: a plain write on the link has no
/// holes. Everything else, and a WRITE without holes, passes in the same cycle.
module run_splitter
  import weft_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  req_t req_i,
  output logic valid_o,
  input  logic ready_i,
  output req_t req_o,
  /// What is offered is the first, or all, of its request.
  output logic first_o
);
  mask_t gone_q, left, bottom, run;
  logic splits, last;

  // The lowest run: adding its lowest byte carries through it.
  assign splits = req_i.kind == ReqKindWrite;
  assign left   = req_i.mask & ~gone_q;
  assign bottom = left & (~left + mask_t'(1));
  assign run    = left & ~(left + bottom);
  assign last   = !splits || run == left;

  assign first_o = gone_q == '0;
  assign valid_o = valid_i;
  assign ready_o = ready_i && last;
  always_comb begin
    req_o = req_i;
    if (splits) req_o.mask = run;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) gone_q <= '0;
    else if (valid_i && ready_i) gone_q <= last ? '0 : gone_q | run;
  end
endmodule
