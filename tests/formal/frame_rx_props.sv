// SPDX-License-Identifier: Apache-2.0

/// What `frame_rx` promises: garbage never becomes a command. Whatever bytes come, payload is handed on and a reset obeyed
/// only at the last byte of what is, byte by byte, a frame with the right checks; and payload only under the number that
/// is next, which is then used up.
///
/// A frame is described here a second time, as a plain reading of the bytes from one on that the solver likes (`mark_i`).
/// For any frame that the unit takes there is a run in which just its first byte was marked, so that what is asserted of
/// the marked one holds of all.
module frame_rx_props
  import host_frame_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic [7:0] data_i,
  input logic       ready_i,
  input logic       mark_i
);
  logic valid_o, last_o, reset_o;
  logic [7:0] data_o, flags_o, expected_o;
  logic [31:0] nonce_o;
  logic [15:0] executed_o;
  counts_t counts_o;

  frame_rx dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .data_i,
    .valid_o,
    .ready_i,
    .data_o,
    .last_o,
    .reset_o,
    .nonce_o,
    .flags_o,
    .expected_o,
    .executed_o,
    .counts_o
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb if (!started_q) assume (!rst_ni);

  // ---------------------------------------------------------------- the bytes from the marked one on
  logic follows_q;
  logic [11:0] pos_q;  // how many there were
  logic sync_q, zero_q, checked_q, low_q;
  logic [7:0] kind_q, sequence_q;
  logic [15:0] length_q, check_q;
  logic [31:0] crc_q;
  logic [23:0] sent_q;
  logic [11:0] crc_from;
  assign crc_from = 12'd12 + length_q[11:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      follows_q <= 1'b0;
    end else if (valid_i && !follows_q) begin
      follows_q <= mark_i;
      pos_q     <= 12'd1;
      sync_q    <= data_i == 8'h57;
      check_q   <= 16'hffff;
      crc_q     <= 32'hffff_ffff;
    end else if (valid_i) begin
      if (pos_q != '1) pos_q <= pos_q + 12'd1;
      if (pos_q == 12'd1) sync_q <= sync_q && data_i == 8'ha9;
      if (pos_q == 12'd2) kind_q <= data_i;
      if (pos_q == 12'd3) sequence_q <= data_i;
      if (pos_q == 12'd4) length_q[7:0] <= data_i;
      if (pos_q == 12'd5) length_q[15:8] <= data_i;
      if (pos_q == 12'd7) zero_q <= data_i == '0;
      if (pos_q >= 12'd2 && pos_q < 12'd10) check_q <= check_step(check_q, data_i);
      if (pos_q == 12'd10) low_q <= data_i == check_q[7:0];
      if (pos_q == 12'd11) checked_q <= low_q && data_i == check_q[15:8];
      if (pos_q >= 12'd2 && (pos_q < 12'd12 || pos_q < crc_from)) crc_q <= crc_step(crc_q, data_i);
      if (pos_q >= 12'd12 && pos_q >= crc_from) sent_q <= {data_i, sent_q[23:8]};
    end
  end

  logic head_good, is_frame;
  assign head_good = sync_q && checked_q && zero_q && kind_q[7:4] == 4'd1 && length_q <= 16'd1024;
  // With the byte that comes.
  assign is_frame = head_good && pos_q == crc_from + 12'd3 && {data_i, sent_q} == ~crc_q;

  // ---------------------------------------------------------------- is it the one that the unit is in?
  // Where the unit is, by its own names.
  localparam logic [2:0] AtSync = 3'd0, AtSync1 = 3'd1, AtHeader = 3'd2, AtPayload = 3'd3, AtCrc = 3'd4;
  logic [2:0] place;
  assign place = 3'(dut.place_q);
  logic [11:0] age;
  logic aligned;
  always_comb begin
    unique case (place)
      AtSync1:   age = 12'd1;
      AtHeader:  age = 12'd2 + 12'(dut.at_q);
      AtPayload: age = 12'd12 + 12'(dut.at_q);
      AtCrc:     age = 12'd12 + dut.length_q[11:0] + 12'(dut.at_q);
      default:       age = '0;
    endcase
    aligned = follows_q && pos_q == age && place != AtSync;
  end

  // ---------------------------------------------------------------- last cycle
  logic was_q, took_q, obeyed_q;
  logic [15:0] taken_q, took_length_q;
  logic [7:0] number_q, obeyed_number_q;
  always_ff @(posedge clk_i) begin
    was_q           <= rst_ni;
    took_q          <= dut.take;
    obeyed_q        <= reset_o;
    taken_q         <= dut.taken_q;
    took_length_q   <= dut.length_q;
    number_q        <= expected_o;
    obeyed_number_q <= dut.sequence_q;
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni && started_q) begin
      taken_is_a_frame :
      assert (!(dut.take && aligned) ||
              (is_frame && kind_q[3:0] == 4'd0 && sequence_q == expected_o && dut.length_q == length_q));
      reset_is_a_frame :
      assert (!(reset_o && aligned) || (is_frame && kind_q[3:0] == 4'd1 && length_q == 16'd5));
      a_frame_is_under_way : assert (!(dut.take || reset_o) || place == AtCrc);
      payload_only_of_taken_frames :
      assert (!was_q || obeyed_q || dut.taken_q == taken_q + (took_q ? took_length_q : 16'd0));
      a_number_is_used_once : assert (!was_q || !took_q || expected_o == number_q + 8'd1);
      a_number_waits_for_its_frame : assert (!was_q || took_q || obeyed_q || expected_o == number_q);
      a_reset_sets_the_number : assert (!was_q || !obeyed_q || expected_o == obeyed_number_q + 8'd1);
      never_both : assert (!(dut.take && reset_o));

      reach_header : cover (aligned && place == AtPayload);
      reach_taken : cover (dut.take && aligned);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  // So many bytes of a CRC have come and are right: the last ones stand highest.
  logic same, came_right;
  always_comb begin
    unique case (dut.at_q[1:0])
      2'd0: came_right = 1'b1;
      2'd1: came_right = sent_q[23:16] == ~crc_q[7:0];
      2'd2: came_right = sent_q[23:8] == ~crc_q[15:0];
      default: came_right = sent_q == ~crc_q[23:0];
    endcase
    same = kind_q == dut.kind_q && sequence_q == dut.sequence_q && length_q == dut.length_q;
    if (rst_ni && started_q) begin
      induct_places :
      assert (place <= AtCrc && (place != AtHeader || dut.at_q < 11'd10) &&
              (place != AtPayload || (16'(dut.at_q) < dut.length_q && dut.length_q <= 16'd1024)) &&
              (place != AtCrc || (dut.at_q < 11'd4 && dut.length_q <= 16'd1024)));
      induct_sync : assert (!aligned || sync_q);
      induct_begins :
      assert (!follows_q || (pos_q != '0 && (pos_q != 12'd1 || (check_q == '1 && crc_q == '1))));
      if (aligned && place == AtHeader) begin
        induct_checks : assert (crc_q == dut.crc_q && check_q == dut.check_q);
        induct_fields :
        assert ((dut.at_q < 11'd1 || kind_q == dut.kind_q) &&
                (dut.at_q < 11'd2 || sequence_q == dut.sequence_q) &&
                (dut.at_q < 11'd3 || length_q[7:0] == dut.length_q[7:0]) &&
                (dut.at_q < 11'd4 || length_q == dut.length_q) &&
                (dut.at_q < 11'd6 || zero_q == dut.zero_q) &&
                (dut.at_q < 11'd9 || low_q == dut.check_low_q));
      end
      if (aligned && (place == AtPayload || place == AtCrc))
        induct_header : assert (head_good && same && kind_q[3:0] <= 4'd1);
      if (aligned && place == AtPayload) induct_payload : assert (crc_q == dut.crc_q);
      // The unit's CRC moves down by a byte with each byte of it that comes; ours are kept.
      if (place != AtCrc) induct_fresh : assert (place == AtSync || place == AtSync1 || dut.same_q);
      if (aligned && place == AtCrc)
        induct_crc : assert (dut.crc_q == crc_q >> 8 * dut.at_q[1:0] && dut.same_q == came_right);
    end
  end
endmodule
