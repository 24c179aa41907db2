// SPDX-License-Identifier: Apache-2.0

/// Releases and markers of an L2 bank (R6). As the releaser's bank it sends marker requests and counts
/// acknowledgements; as a home it answers marker requests with MARKs for the nodes that may still have INVs
/// before them, and acknowledges the others itself. All in stage B: what the step means is found while it stands there, and
/// happens when it takes effect.
module l2_release
  import weft_pkg::*;
  import l2_pkg::*;
#(
  localparam int unsigned ReleaseBits = (L2Releases > 1) ? $clog2(L2Releases) : 1,
  localparam int unsigned MarkerBits = (HomeMarkers > 1) ? $clog2(HomeMarkers) : 1
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] self_i,
  input  fault_e     fault_i,
  /// Leases: no fence is a release here.
  input  logic       leases_i,
  /// The step in stage B; it takes effect in this cycle.
  input  work_t      work_i,
  input  logic       takes_i,

  input  logic [HomeFetches-1:0]         fetches_i,
  input  logic                           fetch_ends_i,
  input  logic [$clog2(HomeFetches)-1:0] fetch_index_i,
  /// Nodes that have not acknowledged every INV of this home.
  input  logic [15:0] unseen_i,

  /// A system-scope fence starts a release.
  output logic                   starts_o,
  output logic [ReleaseBits-1:0] release_o,
  /// marker_send: to which home, for which release; to itself it is a marker request.
  output logic                   sends_o,
  output logic [3:0]             home_o,
  output logic [ReleaseBits-1:0] send_release_o,
  /// A marker request waits for fetches; a parked one goes.
  output logic                   parks_o,
  output logic [MarkerBits-1:0]  park_index_o,
  output logic [MarkerBits-1:0]  go_index_o,
  /// A marker step for release id of node src: MARKs for some nodes, an acknowledgement for the others.
  output logic                   step_o,
  output logic [3:0]             step_src_o,
  output logic [5:0]             step_id_o,
  output logic [15:0]            marked_o,
  output logic [3:0]             skipped_o,
  /// The last acknowledgement of a release came to this node: a fence of a CU is over.
  output logic                   done_o,
  output logic [2:0]             done_cu_o,
  output logic [5:0]             done_id_o,

  /// For stage A.
  output logic       send_pending_o,
  output logic       send_pending_more_o,
  output logic [$clog2(L2Releases+1)-1:0]  release_free_o,
  output logic [$clog2(HomeMarkers+1)-1:0] marker_free_o,
  output logic [$clog2(HomeMarkers+1)-1:0] marker_ready_o
);
  logic of_send, of_go, send_self, asked, is_send;
  logic [3:0] asked_src, go_src;
  logic [5:0] asked_id, go_id;
  logic [15:0] others;
  // What the step means, without a cycle; a cycle before it takes effect, where it has cycles for that.
  typedef struct packed {
    logic sends, parks, steps, acked;
    logic [3:0] src;
    logic [5:0] id;
    logic [15:0] marked;
    logic [3:0] skipped;
    logic [ReleaseBits-1:0] ack_id;
    logic [3:0] ack_count;
  } meaning_t;
  meaning_t meaning, known;

  assign of_send   = work_i.kind == L2EventKindMarkerSend;
  assign of_go     = work_i.kind == L2EventKindMarkerGo;
  assign send_self = of_send && home_o == self_i;
  assign asked     = send_self || (work_i.kind == L2EventKindRequest && work_i.req.kind == ReqKindMarker);
  assign asked_src = send_self ? self_i : work_i.req.src;
  assign asked_id  = send_self ? 6'(send_release_o) : work_i.req.id;
  always_comb begin : mean
    meaning.sends = of_send && !send_self;
    meaning.parks = asked && fetches_i != '0;
    meaning.steps = of_go || (asked && fetches_i == '0);
    meaning.src = of_go ? go_src : asked_src;
    meaning.id = of_go ? go_id : asked_id;
    others = '0;
    meaning.skipped = '0;
    for (int n = 0; n < Nodes; n++) begin
      others[n] = 4'(n) != self_i;
      meaning.skipped += 4'(others[n] && !unseen_i[n]);
    end
    meaning.marked = unseen_i & others;

    // An acknowledgement to this node: from a message, from a MARK met here, or from its own home.
    meaning.acked = 1'b0;
    meaning.ack_id = work_i.rsp.id[ReleaseBits-1:0];
    meaning.ack_count = work_i.rsp.count;
    if (work_i.kind == L2EventKindResponse && work_i.rsp.kind == RspKindAck) begin
      meaning.acked = 1'b1;
    end else if (work_i.kind == L2EventKindMark && work_i.fwd.releaser == self_i) begin
      meaning.acked = 1'b1;
      meaning.ack_id = work_i.fwd.id[ReleaseBits-1:0];
      meaning.ack_count = 4'd1;
    end else if (meaning.steps && meaning.src == self_i && meaning.skipped != '0) begin
      meaning.acked = 1'b1;
      meaning.ack_id = meaning.id[ReleaseBits-1:0];
      meaning.ack_count = meaning.skipped;
    end
  end
  cut #(
    .Width($bits(meaning_t)),
    .Cut  (32'(L2Interval > 2))
  ) u_cut (
    .clk_i,
    .data_i(meaning),
    .data_o(known)
  );
  assign is_send    = takes_i && of_send;
  assign sends_o    = takes_i && known.sends;
  assign parks_o    = takes_i && known.parks;
  assign step_o     = takes_i && known.steps;
  assign step_src_o = known.src;
  assign step_id_o  = known.id;
  assign marked_o   = known.marked;
  assign skipped_o  = known.skipped;

  markers u_markers (
    .clk_i,
    .rst_ni,
    .park_i       (parks_o),
    .src_i        (known.src),
    .id_i         (known.id),
    .fetches_i    (fetches_i),
    .fetch_ends_i (fetch_ends_i),
    .fetch_index_i(fetch_index_i),
    .go_i         (takes_i && of_go),
    .src_o        (go_src),
    .id_o         (go_id),
    .free_index_o (park_index_o),
    .go_index_o   (go_index_o),
    .ready_o      (marker_ready_o),
    .free_o       (marker_free_o)
  );

  // With one node there is nobody to mark: such a release is over where it starts.
  assign starts_o = takes_i && work_i.kind == L2EventKindCu && work_i.req.kind == ReqKindFence &&
                    work_i.scope == ScopeSys && Nodes > 1 && !leases_i;

  // With the fault, only homes that the node wrote to since its last release; its own always, so that there is one.
  logic [Nodes-1:0] homes;
  if (Faults != 0) begin : gen_fault
    logic [Nodes-1:0] written_q;
    logic writes;
    assign writes = takes_i && work_i.kind == L2EventKindCu &&
                    work_i.req.kind inside {ReqKindWrite, ReqKindAtomic};
    always_ff @(posedge clk_i) begin
      if (!rst_ni || starts_o) written_q <= '0;
      else if (writes) written_q <= written_q | (Nodes'(1) << work_i.req.address[39:36]);
    end
    assign homes = (fault_i == FaultReleaseSkipsHomes) ? written_q | (Nodes'(1) << self_i) : '1;
  end else begin : gen_no_fault
    assign homes = '1;
  end

  releases u_releases (
    .clk_i,
    .rst_ni,
    .fault_i,
    .homes_i       (homes),
    .start_i       (starts_o),
    .cu_i          (work_i.req.cu),
    .id_i          (work_i.req.id),
    .send_i        (is_send),
    .pending_o     (send_pending_o),
    .pending_more_o(send_pending_more_o),
    .send_index_o  (send_release_o),
    .send_home_o   (home_o),
    .ack_i         (takes_i && known.acked),
    .ack_index_i   (known.ack_id),
    .ack_count_i   (known.ack_count),
    .done_o        (done_o),
    .done_cu_o     (done_cu_o),
    .done_id_o     (done_id_o),
    .free_index_o  (release_o),
    .free_o        (release_free_o)
  );
endmodule
