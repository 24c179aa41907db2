// SPDX-License-Identifier: Apache-2.0

/// What a step of an L2 bank answers: a response to another node, an answer to an L1. Data that comes out of the
/// bank's RAM is put in by stage C; the data of a fill that several loads wait for is kept here.
module l2_answers
  import weft_pkg::*;
  import l2_pkg::*;
#(
  parameter int unsigned Bank = 0
) (
  input  logic       clk_i,
  input  logic [3:0] self_i,
  /// The step in stage B, and the request that it performs (in a replay, the one that had waited).
  input  work_t      work_i,
  input  req_t       request_i,
  input  logic       home_step_i,
  input  logic       remote_hit_i,
  /// Leases, and whether they end: the stamps that the home (before the step: was), that a copy has for the line.
  input  logic        leases_i,
  input  logic        ends_i,
  input  logic [15:0] home_wts_i,
  input  logic [15:0] home_rts_i,
  input  logic [15:0] home_was_i,
  /// The request renews a copy that is what the home has.
  input  logic        unchanged_i,
  input  logic [15:0] copy_wts_i,
  input  logic [15:0] copy_rts_i,
  /// The miss whose line comes was still open: it may be installed.
  input  logic       fill_open_i,
  /// Leases: what comes is the answer of a store of these bytes, or renews a copy of them; it is installed; in stage C, the line.
  input  logic       wrote_i,
  input  logic       renewed_i,
  input  line_t      wrote_data_i,
  input  logic       installed_i,
  input  line_t      line_i,
  input  logic [2:0] answer_cu_i,
  input  logic [5:0] answer_id_i,
  input  logic       marker_step_i,
  input  logic [3:0] marker_src_i,
  input  logic [5:0] marker_id_i,
  input  logic [3:0] marker_skipped_i,
  input  logic       starts_release_i,
  input  logic       released_i,
  input  logic [2:0] released_cu_i,
  input  logic [5:0] released_id_i,

  output logic       rsp_valid_o,
  output rsp_t       rsp_o,
  output logic       l1_valid_o,
  output l1_rsp_t    l1_o
);
  logic by_self, wants_answer;
  assign by_self      = request_i.src == self_i;
  // Under leases a write is answered: to its own node with the line as it is then, to another one with its stamps, and with the
  // line's wts before unless nobody needs that.
  assign wants_answer = home_step_i && (request_i.kind != ReqKindWrite || (leases_i && request_i.func[0]));

  always_comb begin : to_node
    rsp_o = '0;
    rsp_valid_o = 1'b1;
    if (wants_answer && !by_self) begin
      rsp_o.kind = (request_i.kind == ReqKindAtomic) ? RspKindAtomic : RspKindLine;
      rsp_o.dst = request_i.src;
      rsp_o.cu = request_i.cu;
      rsp_o.id = request_i.id;
      rsp_o.wide = request_i.wide;
      if (leases_i) begin
        rsp_o.wts = home_wts_i;
        rsp_o.rts = home_rts_i;
      end
      if (request_i.kind == ReqKindWrite) begin
        rsp_o.kind = RspKindWrote;
        rsp_o.wide = !ends_i || request_i.mask == '1;
        rsp_o.stamp = rsp_o.wide ? '0 : home_was_i;
      end
      if (unchanged_i) begin
        rsp_o.kind = RspKindWrote;
        rsp_o.wide = 1'b1;
      end
    end else if (work_i.valid && work_i.kind == L2EventKindMark && work_i.fwd.releaser != self_i) begin
      rsp_o.kind = RspKindAck;
      rsp_o.dst = work_i.fwd.releaser;
      rsp_o.id = work_i.fwd.id;
      rsp_o.count = 4'd1;
      rsp_o.seen = work_i.fwd.releaser == work_i.fwd.src;
      rsp_o.stamp = rsp_o.seen ? work_i.fwd.stamp : '0;
    end else if (work_i.valid && work_i.kind == L2EventKindSeen) begin
      rsp_o.kind = RspKindSeen;
      rsp_o.dst = work_i.fwd.src;
      rsp_o.stamp = work_i.fwd.stamp;
    end else if (marker_step_i && marker_src_i != self_i && marker_skipped_i != '0) begin
      rsp_o.kind = RspKindAck;
      rsp_o.dst = marker_src_i;
      rsp_o.id = marker_id_i;
      rsp_o.count = marker_skipped_i;
    end else begin
      rsp_valid_o = 1'b0;
    end
    if (rsp_valid_o) begin
      rsp_o.src = self_i;
      rsp_o.bank = 3'(Bank);
    end
  end

  logic install_q, merges_q, merged_q, line_comes;
  logic [15:0] wts_q, rts_q;
  line_t data_q;
  assign line_comes = work_i.valid && work_i.kind == L2EventKindResponse && work_i.rsp.kind == RspKindLine;
  always_ff @(posedge clk_i) begin
    if (line_comes || wrote_i) begin
      data_q <= wrote_i ? wrote_data_i : work_i.rsp.data;
      // Under leases the L1's own miss says whether it may; but a store's line may not be known.
      install_q <= wrote_i ? installed_i || renewed_i : fill_open_i || leases_i;
      wts_q <= work_i.rsp.wts;
      rts_q <= work_i.rsp.rts;
    end else if (merged_q) begin
      data_q <= line_i;
    end
    merges_q <= wrote_i && installed_i;
  end
  cut #(
    .Cut(LateData)
  ) u_merged (
    .clk_i,
    .data_i(merges_q),
    .data_o(merged_q)
  );

  logic fence_at_once;
  assign fence_at_once = work_i.valid && work_i.kind == L2EventKindCu && work_i.req.kind == ReqKindFence &&
                         !starts_release_i;
  always_comb begin : to_l1
    l1_o = '0;
    l1_valid_o = 1'b1;
    if (released_i || fence_at_once) begin
      l1_o.kind = RspKindFence;
      l1_o.cu = released_i ? released_cu_i : work_i.req.cu;
      l1_o.id = released_i ? released_id_i : work_i.req.id;
    end else if (work_i.valid && work_i.kind == L2EventKindAnswer) begin
      l1_o.cu = answer_cu_i;
      l1_o.id = answer_id_i;
      l1_o.install = install_q;
      if (leases_i) begin
        l1_o.wts = wts_q;
        l1_o.rts = rts_q;
      end
      l1_o.data = data_q;
    end else if (work_i.valid && work_i.kind == L2EventKindResponse && work_i.rsp.kind == RspKindAtomic) begin
      l1_o.kind = RspKindAtomic;
      l1_o.cu = work_i.rsp.cu;
      l1_o.id = work_i.rsp.id;
      if (leases_i) begin
        l1_o.wts = work_i.rsp.wts;
        l1_o.rts = work_i.rsp.rts;
      end
      l1_o.data = work_i.rsp.data;
    end else if (remote_hit_i || (wants_answer && by_self)) begin
      l1_o.kind = (request_i.kind == ReqKindAtomic) ? RspKindAtomic : RspKindLine;
      l1_o.cu = request_i.cu;
      l1_o.id = request_i.id;
      l1_o.install = request_i.kind != ReqKindAtomic;
      if (leases_i) begin
        l1_o.wts = remote_hit_i ? copy_wts_i : home_wts_i;
        l1_o.rts = remote_hit_i ? copy_rts_i : home_rts_i;
      end
    end else begin
      l1_valid_o = 1'b0;
    end
    if (l1_valid_o) l1_o.bank = 3'(Bank);
  end
endmodule
