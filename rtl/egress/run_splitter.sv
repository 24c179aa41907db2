// SPDX-License-Identifier: Apache-2.0

/// A WRITE whose mask has holes leaves as one WRITE for each run of bytes, lowest first: a plain write on the link has no
/// holes. Everything else, and a WRITE without holes, passes in the same cycle.
module run_splitter
  import weft_pkg::*;
  import weft_cost_pkg::*;
#(
  /// 1: a request is taken with its first run, of which `split_i` says all, and kept until the last one has left, for a source
  /// that may show another request before it is taken. 0: it is taken with its last run.
  parameter bit Keeps = 1'b0
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   valid_i,
  output logic   ready_o,
  input  req_t   req_i,
  /// Its first run; not looked at without `Keeps`.
  input  split_t split_i,
  output logic   valid_o,
  input  logic   ready_i,
  output req_t   req_o,
  output span_t  span_o,
  /// What is offered is the first, or all, of its request.
  output logic   first_o,
  /// Runs are left of a request that was taken.
  output logic   keeps_o
);
  req_t request;
  mask_t left, run, rest;
  logic splits, last;

  assign splits = request.kind == ReqKindWrite;
  assign rest   = left & ~run;
  always_comb begin
    req_o = request;
    if (splits) req_o.mask = run;
    if (splits && !last) req_o.func = FuncAdd;  // under leases the last one is answered
  end

  if (Keeps) begin : gen_keeps
    // What comes next is found while the one before it leaves.
    req_t rest_q;
    mask_t left_q, run_q, next_run;
    logic keeps_q, more_q, open_q;
    assign next_run = lowest_run(rest);
    always_ff @(posedge clk_i) begin
      if (first_o) rest_q <= req_i;
      if (valid_o && ready_i) begin
        left_q <= rest;
        run_q  <= next_run;
        more_q <= next_run != rest;
      end
      if (!rst_ni) keeps_q <= 1'b0;
      else if (valid_o && ready_i) keeps_q <= !last;
      // The same, turned round: one for as many bits as a request has, one for those who wait for it.
      if (!rst_ni) open_q <= 1'b1;
      else if (valid_o && ready_i) open_q <= last;
    end
    assign first_o = open_q;
    assign keeps_o = keeps_q;
    assign request = keeps_q ? rest_q : req_i;
    assign left    = keeps_q ? left_q : req_i.mask;
    assign run     = keeps_q ? run_q : split_i.run;
    assign last    = !splits || !(keeps_q ? more_q : split_i.more);
    assign span_o  = keeps_q ? span_of(run_q) : split_i.span;
    assign valid_o = !open_q || valid_i;
    assign ready_o = ready_i && open_q;
  end else begin : gen_waits
    mask_t gone_q;
    assign first_o = gone_q == '0;
    assign keeps_o = 1'b0;
    assign request = req_i;
    assign left    = request.mask & ~gone_q;
    assign run     = lowest_run(left);
    assign last    = !splits || rest == '0;
    assign span_o  = '0;
    assign valid_o = valid_i;
    assign ready_o = ready_i && last;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) gone_q <= '0;
      else if (valid_o && ready_i) gone_q <= last ? '0 : gone_q | run;
    end
    logic unused;
    assign unused = ^split_i;
  end
endmodule
