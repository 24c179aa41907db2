// SPDX-License-Identifier: Apache-2.0

/// The board's sending end of frames (docs/frames.md): messages that wait while a frame is being sent are the payload of
/// the next one. Without messages it sends an empty frame when that tells the host something.
///
/// Two frames at most are in the buffer: the one that is being sent, and the one that grows.
module frame_tx
  import host_frame_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  /// One cycle: what waits is forgotten, the frame that is being sent ends first; the next one is a hello, and its
  /// payload the next message alone.
  input  logic reset_i,

  /// Messages, byte by byte; `last_i` ends one. At most 519 bytes each.
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  input  logic       last_i,

  /// For the header: the next number that is expected, and what has been executed; `idle_i`: that is all that came.
  input  logic [ 7:0] expected_i,
  input  logic [15:0] executed_i,
  input  logic        idle_i,

  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o
);
  // The longest message: PEEK's answer.
  localparam int unsigned MessageMax = 519;
  localparam int unsigned Words = 2 * PayloadMax;
  localparam int unsigned AddressWidth = $clog2(Words);
  typedef logic [AddressWidth-1:0] address_t;

  typedef enum logic [2:0] {
    AtNothing,
    AtSync,
    AtHeader,
    AtPayload,
    AtCrc
  } place_e;

  // ---------------------------------------------------------------- the frame that grows
  address_t begin_q;  // where it begins
  logic [10:0] grown_q;
  logic within_q;  // a message has begun and not ended
  logic hello_q;
  logic push, close;

  // A message begins only if the longest one would fit; behind a hello none does.
  assign ready_o = within_q || (grown_q <= 11'(PayloadMax - MessageMax) && !(hello_q && grown_q != '0));
  assign push = valid_i && ready_o && !reset_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begin_q  <= '0;
      grown_q  <= '0;
      within_q <= 1'b0;
      hello_q  <= 1'b0;
    end else if (reset_i) begin
      if (close) begin_q <= begin_q + address_t'(grown_q);
      grown_q  <= '0;
      within_q <= 1'b0;
      hello_q  <= 1'b1;
    end else begin
      if (close) begin_q <= begin_q + address_t'(grown_q);
      if (close) hello_q <= 1'b0;
      grown_q <= (close ? '0 : grown_q) + 11'(push);
      if (push) within_q <= !last_i;
    end
  end

  // ---------------------------------------------------------------- the frame that is sent
  place_e place_q, place_d;
  logic [10:0] at_q, at_d, length_q;
  logic [3:0] kind_q;
  logic [7:0] sequence_q, ack_q, payload, payload_q;
  logic [15:0] credit_q, check_q;
  logic [31:0] crc_q;
  // The byte that was sent in the cycle before, and whether the CRC is of it too.
  logic [7:0] sent_q;
  logic counts_q;
  address_t read_q;
  logic go, news, news_q, fetch;
  logic [15:0] unsaid;

  // The host waits for what the last header did not say. Known a cycle later, which a frame's own length hides.
  assign unsaid = executed_i - credit_q;
  assign news = (idle_i && (unsaid != '0 || expected_i != ack_q)) || unsaid >= 16'(Window / 4);
  assign close = place_q == AtNothing && !within_q && !push &&
      (grown_q != '0 || (news_q && !hello_q && !valid_i));

  always_ff @(posedge clk_i) news_q <= rst_ni && !reset_i && !close && news;

  assign go = valid_o && ready_i;
  // The CRC has a byte in the cycle after it was sent, and waits for its last one.
  assign valid_o = place_q != AtNothing && !(place_q == AtCrc && at_q == '0 && counts_q);

  always_comb begin
    place_d = place_q;
    at_d = at_q + 11'd1;
    unique case (place_q)
      AtSync:
      if (at_q == 11'd1) begin
        place_d = AtHeader;
        at_d = '0;
      end
      AtHeader:
      if (at_q == 11'(HeaderBytes - 1)) begin
        place_d = (length_q == '0) ? AtCrc : AtPayload;
        at_d = '0;
      end
      AtPayload:
      if (at_q + 11'd1 == length_q) begin
        place_d = AtCrc;
        at_d = '0;
      end
      default:
      if (at_q == 11'd3) begin
        place_d = AtNothing;
        at_d = '0;
      end
    endcase
  end

  always_comb begin
    unique case (place_q)
      AtSync: data_o = at_q[0] ? Sync1 : Sync0;
      AtHeader:
      unique case (at_q[3:0])
        4'd0: data_o = {4'(Version), kind_q};
        4'd1: data_o = sequence_q;
        4'd2: data_o = length_q[7:0];
        4'd3: data_o = {5'd0, length_q[10:8]};
        4'd4: data_o = ack_q;
        4'd6: data_o = credit_q[7:0];
        4'd7: data_o = credit_q[15:8];
        4'd8: data_o = check_q[7:0];
        4'd9: data_o = check_q[15:8];
        default: data_o = '0;
      endcase
      AtPayload: data_o = payload_q;
      default: data_o = ~crc_q[8*at_q[1:0]+:8];
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      place_q    <= AtNothing;
      at_q       <= '0;
      sequence_q <= '1;
      ack_q      <= '0;
      credit_q   <= '0;
    end else begin
      if (close) begin
        place_q    <= AtSync;
        at_q       <= '0;
        sequence_q <= sequence_q + 8'd1;
      end else if (go) begin
        place_q <= place_d;
        at_q    <= at_d;
      end
      if (close) begin
        ack_q    <= expected_i;
        credit_q <= executed_i;
      end
      // A reset sets what is executed to 0: nothing of it is unsaid, the hello says all. The header of a frame that
      // is being sent may be beyond use then, and its check is still right.
      if (reset_i) credit_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (close) begin
      kind_q   <= hello_q ? KindReset : KindData;
      length_q <= grown_q;
      check_q  <= CheckBegin;
      crc_q    <= CrcBegin;
    end else if (go) begin
      if (place_q == AtHeader && at_q < 11'(CheckFrom)) check_q <= check_step(check_q, data_o);
    end
    if (counts_q && !close) crc_q <= crc_step(crc_q, sent_q);
    counts_q <= rst_ni && go && (place_q == AtHeader || place_q == AtPayload);
    sent_q   <= data_o;
  end

  // The byte that is sent stands in a register, since its CRC is another long way, and the one behind it at the output of
  // the buffer; both come while the header is sent.
  assign fetch = go && (place_q == AtPayload || (place_q == AtHeader && at_q < 11'd2));
  always_ff @(posedge clk_i) begin
    if (close) read_q <= begin_q;
    else if (fetch) read_q <= read_q + address_t'(1);
    if (fetch) payload_q <= payload;
  end

  ram #(
    .Words(Words),
    .Width(8)
  ) i_buffer (
    .clk_i,
    .ren_i  (fetch),
    .raddr_i(read_q),
    .rdata_o(payload),
    .wen_i  (push),
    .waddr_i(begin_q + address_t'(grown_q)),
    .wdata_i(data_i)
  );
endmodule
