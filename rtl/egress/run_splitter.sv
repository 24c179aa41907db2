// SPDX-License-Identifier: Apache-2.0

/// A WRITE whose mask has holes leaves as one WRITE for each run of bytes, lowest first: a plain write on the link has no
/// holes. Everything else, and a WRITE without holes, passes in the same cycle.
module run_splitter
  import weft_pkg::*;
#(
  /// 1: a request is taken with its first run and kept until the last one has left, for a source that may show another
  /// request before it is taken. 0: it is taken with its last run.
  parameter bit Keeps = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  req_t req_i,
  output logic valid_o,
  input  logic ready_i,
  output req_t req_o,
  /// What is offered is the first, or all, of its request.
  output logic first_o,
  /// Runs are left of a request that was taken.
  output logic keeps_o
);
  req_t request;
  mask_t gone_q, left, bottom, run;
  logic splits, last;

  // The lowest run: adding its lowest byte carries through it.
  assign splits = request.kind == ReqKindWrite;
  assign left   = request.mask & ~gone_q;
  assign bottom = left & (~left + mask_t'(1));
  assign run    = left & ~(left + bottom);
  assign last   = !splits || run == left;

  assign first_o = gone_q == '0;
  always_comb begin
    req_o = request;
    if (splits) req_o.mask = run;
    if (splits && !last) req_o.func = FuncAdd;  // under leases the last one is answered
  end

  if (Keeps) begin : gen_keeps
    req_t rest_q;
    always_ff @(posedge clk_i) if (first_o && valid_i && ready_i && !last) rest_q <= req_i;
    assign keeps_o = !first_o;
    assign request = keeps_o ? rest_q : req_i;
    assign valid_o = keeps_o || valid_i;
    assign ready_o = ready_i && !keeps_o;
  end else begin : gen_waits
    assign keeps_o = 1'b0;
    assign request = req_i;
    assign valid_o = valid_i;
    assign ready_o = ready_i && last;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) gone_q <= '0;
    else if (valid_o && ready_i) gone_q <= last ? '0 : gone_q | run;
  end
endmodule
