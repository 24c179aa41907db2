// SPDX-License-Identifier: Apache-2.0

/// The board's receiving end of frames (docs/frames.md): finds them in the bytes that come, and keeps the payload of
/// those that are whole, have the number that is next, and fit.
///
/// Takes a byte in every cycle and never stops whoever sends: a UART could not be stopped. Payload is written into
/// the buffer as it comes, behind what waits there, and belongs to it only when its CRC was right.
module frame_rx
  import host_frame_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  input  logic       valid_i,
  input  logic [7:0] data_i,

  /// Payload in the order in which it came; `last_o`: the last byte of its frame.
  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,
  output logic       last_o,

  /// One cycle: a reset frame came. What waited is gone.
  output logic        reset_o,
  output logic [31:0] nonce_o,
  output logic [ 7:0] flags_o,

  /// The sequence number that is next, and the bytes that have left by `data_o` since the reset.
  output logic [ 7:0] expected_o,
  output logic [15:0] executed_o,
  output counts_t     counts_o
);
  localparam int unsigned AddressWidth = $clog2(Window);

  typedef enum logic [2:0] {
    AtSync,
    AtSync1,
    AtHeader,
    AtPayload,
    AtCrc
  } place_e;

  place_e place_q, place_d;
  logic [10:0] at_q, at_d;
  logic [15:0] check_q;
  logic [31:0] crc_q;
  logic same_q;  // the bytes of the CRC that came are right
  logic [39:0] first_q;  // the first five bytes of the payload, the first one lowest
  // The header, as it comes.
  logic [7:0] kind_q, sequence_q;
  logic [15:0] length_q;
  logic zero_q, check_low_q, room_q;
  // What was taken since the reset, and what has left.
  logic [15:0] taken_q, executed_q;
  logic [7:0] expected_q;
  counts_t counts_q;

  // ---------------------------------------------------------------- the byte that comes
  logic header_ends, header_good, crc_ends, crc_good, whole, take, obey, wrong_number;
  logic same;

  assign header_ends = valid_i && place_q == AtHeader && at_q == 11'(HeaderBytes - 1);
  assign header_good = check_low_q && check_q[15:8] == data_i && kind_q[7:4] == 4'(Version) &&
      kind_q[3:0] <= KindReset && length_q <= 16'(PayloadMax) && zero_q;
  assign crc_ends = valid_i && place_q == AtCrc && at_q == 11'd3;
  // Byte by byte: the next one stands lowest.
  assign same = data_i == ~crc_q[7:0];
  assign crc_good = same_q && same;
  assign whole = crc_ends && crc_good;
  assign wrong_number = sequence_q != expected_q;
  assign obey = whole && kind_q[3:0] == KindReset && length_q == 16'(ResetBytes);
  assign take = whole && kind_q[3:0] == KindData && !wrong_number && room_q;

  always_comb begin
    place_d = place_q;
    at_d = at_q + 11'd1;
    unique case (place_q)
      AtSync, AtSync1: begin
        at_d = '0;
        if (place_q == AtSync1 && data_i == Sync1) place_d = AtHeader;
        else place_d = (data_i == Sync0) ? AtSync1 : AtSync;
      end
      AtHeader:
      if (header_ends) begin
        at_d = '0;
        if (!header_good) place_d = AtSync;
        else place_d = (length_q == '0) ? AtCrc : AtPayload;
      end
      AtPayload:
      if (16'(at_q) + 16'd1 == length_q) begin
        at_d = '0;
        place_d = AtCrc;
      end
      default:
      if (crc_ends) begin
        at_d = '0;
        place_d = AtSync;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      place_q <= AtSync;
      at_q    <= '0;
    end else if (valid_i) begin
      place_q <= place_d;
      at_q    <= at_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      if (place_q == AtSync1) begin
        check_q <= CheckBegin;
        crc_q   <= CrcBegin;
      end else begin
        // Its own lowest byte moves a CRC down by a byte.
        crc_q <= crc_step(crc_q, (place_q == AtCrc) ? crc_q[7:0] : data_i);
      end
      if (place_q == AtHeader) begin
        if (at_q < 11'(CheckFrom)) check_q <= check_step(check_q, data_i);
        unique case (at_q[3:0])
          4'd0: kind_q <= data_i;
          4'd1: sequence_q <= data_i;
          4'd2: length_q[7:0] <= data_i;
          4'd3: length_q[15:8] <= data_i;
          4'd5: zero_q <= data_i == '0;
          4'd8: check_low_q <= check_q[7:0] == data_i;
          4'd9: room_q <= length_q <= 16'(Window) - (taken_q - executed_q);
          default: ;
        endcase
      end
      if (place_q == AtPayload && at_q < 11'(ResetBytes)) first_q <= {data_i, first_q[39:8]};
      same_q <= place_q != AtCrc || (same_q && same);
    end
  end

  // ---------------------------------------------------------------- what is dropped
  logic drop_header, drop_crc, drop_number, drop_room;
  logic [15:0] frame_q;  // bytes of all the frame

  assign drop_header = (header_ends && !header_good) || (whole && kind_q[3:0] == KindReset && !obey);
  assign drop_crc = crc_ends && !crc_good;
  assign drop_number = whole && kind_q[3:0] == KindData && wrong_number;
  assign drop_room = whole && kind_q[3:0] == KindData && !wrong_number && !room_q;

  // Counted a cycle later: the CRC comes late.
  logic nothing, header_q, crc_bad_q, number_q, full_q, all_q;
  logic [3:0] some_q;
  logic [32:0] bytes;
  assign nothing = data_i == '0 || data_i == Sync0;
  assign bytes = {1'b0, counts_q.bytes} + (all_q ? 33'(frame_q) : 33'(some_q));

  always_ff @(posedge clk_i) begin
    frame_q   <= length_q + 16'(Around);
    header_q  <= drop_header;
    crc_bad_q <= drop_crc;
    number_q  <= drop_number;
    full_q    <= drop_room;
    all_q     <= crc_ends && !obey && !take;
    some_q    <= '0;
    if (valid_i && place_q == AtSync && !nothing) some_q <= 4'd1;
    // The first byte of the sync was none; and perhaps this byte is nothing either.
    if (valid_i && place_q == AtSync1 && data_i != Sync1) some_q <= nothing ? 4'd1 : 4'd2;
    if (header_ends && !header_good) some_q <= 4'(HeaderBytes + 2);
  end

  function automatic logic [15:0] more(logic [15:0] count, logic yes);
    return (yes && count != '1) ? count + 16'd1 : count;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni || obey) begin
      counts_q <= '0;
    end else begin
      counts_q.bytes           <= bytes[32] ? '1 : bytes[31:0];
      counts_q.header          <= more(counts_q.header, header_q);
      counts_q.crc             <= more(counts_q.crc, crc_bad_q);
      counts_q.sequence_number <= more(counts_q.sequence_number, number_q);
      counts_q.room            <= more(counts_q.room, full_q);
    end
  end
  assign counts_o = counts_q;

  // ---------------------------------------------------------------- what is kept
  logic pop;
  logic [15:0] read_at;
  logic [AddressWidth-1:0] write_at;

  assign pop = valid_o && ready_i;
  assign valid_o = taken_q != executed_q;
  assign write_at = taken_q[AddressWidth-1:0] + at_q;
  assign read_at = executed_q + 16'(pop);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      taken_q    <= '0;
      executed_q <= '0;
      expected_q <= '0;
    end else if (obey) begin
      taken_q    <= '0;
      executed_q <= '0;
      expected_q <= sequence_q + 8'd1;
    end else begin
      if (take) taken_q <= taken_q + length_q;
      if (take) expected_q <= expected_q + 8'd1;
      executed_q <= read_at;
    end
  end

  // Written also for a frame that will be dropped, if there is room for it.
  ram #(
    .Words(Window),
    .Width(9)
  ) i_buffer (
    .clk_i,
    .ren_i  (1'b1),
    .raddr_i(read_at[AddressWidth-1:0]),
    .rdata_o({last_o, data_o}),
    .wen_i  (valid_i && place_q == AtPayload && room_q),
    .waddr_i(write_at),
    .wdata_i({16'(at_q) + 16'd1 == length_q, data_i})
  );

  assign reset_o = obey;
  assign nonce_o = first_q[31:0];
  assign flags_o = first_q[39:32];
  assign expected_o = expected_q;
  assign executed_o = executed_q;
endmodule
