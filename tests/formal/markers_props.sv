// SPDX-License-Identifier: Apache-2.0

/// What `markers` promises (R6): a marker goes once, when every fetch that was in use when it came has ended, and
/// waits for no later one.
///
/// One marker, which the solver picks (`mark_i`), is followed by the number of the entry that it was given.
module markers_props
  import weft_pkg::*;
#(
  parameter int unsigned Entries = 2,
  localparam int unsigned EntryBits = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int unsigned CountBits = $clog2(Entries + 1)
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic                           park_i,
  input logic [                    3:0] src_i,
  input logic [                    5:0] id_i,
  input logic [        HomeFetches-1:0] fetches_i,
  input logic                           fetch_ends_i,
  input logic [$clog2(HomeFetches)-1:0] fetch_index_i,
  input logic                           go_i,
  input logic                           mark_i
);
  logic [3:0] src_o;
  logic [5:0] id_o;
  logic [EntryBits-1:0] free_index_o, go_index_o;
  logic [CountBits-1:0] ready_o, free_o;

  markers #(
    .Entries(Entries)
  ) dut (
    .*
  );

  logic follows_q, ready_s;
  logic [EntryBits-1:0] entry_q;
  logic [HomeFetches-1:0] waits_q;
  logic [3:0] src_q;
  logic [5:0] id_q;
  logic [Entries-1:0] used_q;

  assign ready_s = follows_q && waits_q == '0;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      follows_q <= 1'b0;
      used_q    <= '0;
    end else begin
      if (park_i) used_q[free_index_o] <= 1'b1;
      if (go_i) used_q[go_index_o] <= 1'b0;
      if (follows_q) begin
        if (fetch_ends_i) waits_q[fetch_index_i] <= 1'b0;
        if (go_i && go_index_o == entry_q) follows_q <= 1'b0;
      end else if (park_i && mark_i) begin
        follows_q <= 1'b1;
        entry_q   <= free_index_o;
        waits_q   <= fetches_i;
        src_q     <= src_i;
        id_q      <= id_i;
      end
    end
  end

  // The rules: one step per cycle; a marker is parked where there is room, and goes when it may.
  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (rst_ni) begin
      assume (32'(park_i) + 32'(fetch_ends_i) + 32'(go_i) <= 1);
      assume (!park_i || free_o != '0);
      assume (!go_i || ready_o != '0);
      assume (32'(fetch_index_i) < HomeFetches);
    end
  end

  logic [31:0] entries_used;
  always_comb begin
    entries_used = '0;
    for (int unsigned i = 0; i < Entries; i++) entries_used += 32'(used_q[i]);
    if (rst_ni) begin
      free_is_counted : assert (32'(free_o) == Entries - entries_used);
      entry_given_out_is_free : assert (free_o == '0 || !used_q[free_index_o]);
      goes_only_when_parked : assert (ready_o == '0 || used_q[go_index_o]);
      waits_for_every_earlier_fetch :
      assert (!follows_q || waits_q == '0 || ready_o == '0 || go_index_o != entry_q);
      // The lowest of those that may go, goes: one that may is not before the one chosen.
      waits_for_no_later_fetch : assert (!ready_s || (ready_o != '0 && go_index_o <= entry_q));
      goes_as_it_came : assert (!follows_q || go_index_o != entry_q || (src_o == src_q && id_o == id_q));

      reach_full : cover (free_o == '0);
      reach_followed_goes_last : cover (go_i && ready_s && go_index_o == entry_q && entries_used == 1);
    end
  end
  if (Entries > 1) begin : gen_others
    always_comb if (rst_ni) reach_another_goes_first : cover (follows_q && waits_q != '0 && go_i);
  end

  // ---------------------------------------------------------------- what the induction stands on
  always_comb begin
    if (rst_ni) begin
      induct_used : assert (dut.used_q == used_q);
      induct_followed :
      assert (!follows_q || (32'(entry_q) < Entries && used_q[entry_q] &&
              dut.marker_q[entry_q].waits == waits_q && dut.marker_q[entry_q].src == src_q &&
              dut.marker_q[entry_q].id == id_q));
    end
  end
endmodule
