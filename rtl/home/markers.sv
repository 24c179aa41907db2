// SPDX-License-Identifier: Apache-2.0

/// Marker requests that came while lines were being fetched from memory. A marker stands for "all that was
/// asked before me has been done"; requests that wait in the fetches are not done yet, so it waits for every
/// fetch in use when it came, and for no later one (R6; docs/decisions.md "Markers wait for fetches").
module markers
  import weft_pkg::*;
#(
  /// Marker requests parked at once.
  parameter int unsigned Entries = HomeMarkers,
  localparam int unsigned EntryBits = (Entries > 1) ? $clog2(Entries) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                   park_i,
  input  logic [3:0]             src_i,
  input  logic [5:0]             id_i,
  input  logic [HomeFetches-1:0] fetches_i,

  input  logic                           fetch_ends_i,
  input  logic [$clog2(HomeFetches)-1:0] fetch_index_i,

  /// The lowest marker that waits for nothing; go_i takes it.
  input  logic       go_i,
  output logic [3:0] src_o,
  output logic [5:0] id_o,
  /// Entries that park_i and go_i take.
  output logic [EntryBits-1:0] free_index_o,
  output logic [EntryBits-1:0] go_index_o,
  output logic [$clog2(Entries+1)-1:0] ready_o,
  output logic [$clog2(Entries+1)-1:0] free_o
);
  typedef struct packed {
    logic [3:0] src;
    logic [5:0] id;
    logic [HomeFetches-1:0] waits;
  } marker_t;

  logic    [Entries-1:0] used_q;
  marker_t [Entries-1:0] marker_q;

  always_comb begin : choose
    free_index_o = '0;
    go_index_o = '0;
    ready_o = '0;
    free_o = '0;
    for (int i = Entries - 1; i >= 0; i--) begin
      if (!used_q[i]) free_index_o = EntryBits'(i);
      if (used_q[i] && marker_q[i].waits == '0) begin
        go_index_o = EntryBits'(i);
        ready_o += $bits(ready_o)'(1);
      end
      free_o += $bits(free_o)'(!used_q[i]);
    end
  end
  assign src_o = marker_q[go_index_o].src;
  assign id_o  = marker_q[go_index_o].id;

  always_ff @(posedge clk_i) begin
    if (fetch_ends_i) foreach (marker_q[i]) marker_q[i].waits[fetch_index_i] <= 1'b0;
    if (park_i) begin
      used_q[free_index_o] <= 1'b1;
      marker_q[free_index_o] <= '{src: src_i, id: id_i, waits: fetches_i};
    end
    if (go_i) used_q[go_index_o] <= 1'b0;
    if (!rst_ni) used_q <= '0;
    if (rst_ni) begin
      assert (!park_i || free_o != '0)
      else $error("markers: no entry free");
      assert (!go_i || ready_o != '0)
      else $error("markers: none is ready");
    end
  end
endmodule
