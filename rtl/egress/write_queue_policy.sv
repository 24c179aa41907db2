// SPDX-License-Identifier: Apache-2.0

/// What a store does to its partition: FinePack's three-way rule. It looks and changes nothing; the storage is
/// `write_queue`'s. Another use of the queue (GPS: drain at a watermark, the least recently added first) is another
/// module with these ports.
module write_queue_policy
  import weft_pkg::*;
  import finepack_pkg::*;
(
  /// Settings, as the registers have them now.
  input  logic                enable_i,
  input  sub_header_t         sub_header_i,
  input  logic         [12:0] payload_i,
  /// The store: its bytes in its block, and the address of the first one in the node.
  input  enables_t            store_i,
  input  logic         [35:0] first_i,
  /// Its block, if it is queued.
  input  logic                hit_i,
  input  enables_t            queued_i,
  /// The packet that is open: blocks, bytes, what it was opened with.
  input  logic         [ 6:0] used_i,
  input  logic         [12:0] bytes_i,
  input  logic         [12:0] limit_i,
  input  sub_header_t         open_sub_header_i,
  input  logic         [35:0] base_i,
  /// It may enter the queue at all; else it leaves plain.
  output logic                enters_o,
  /// The partition is flushed first.
  output flush_cause_e        cause_o,
  /// Bytes of the packet with the store in it, if nothing is flushed; and of the store alone.
  output logic         [12:0] grown_o,
  output encoded_t            alone_o
);
  logic crosses, other_window;
  enables_t all;

  assign all = store_i | queued_i;
  assign alone_o = encoded(store_i, sub_header_i);
  assign grown_o = bytes_i + 13'(encoded(all, open_sub_header_i)) - 13'(encoded(queued_i, open_sub_header_i));

  // A window of 2-byte sub-headers is half a block.
  assign crosses = sub_header_i == 3'd2 && store_i[63:0] != '0 && store_i[127:64] != '0;
  assign enters_o = enable_i && !crosses && store_i != '0 && 13'(alone_o) <= payload_i;

  assign other_window = open_sub_header_i != sub_header_i ||
                        (first_i & ~window_mask(open_sub_header_i)) != base_i;

  always_comb begin
    cause_o = FlushCauseNone;
    if (!enters_o) begin
      if (hit_i) cause_o = FlushCausePayload;
    end else if (used_i != '0) begin
      if (other_window) cause_o = FlushCauseBase;
      else if (!hit_i && 32'(used_i) == EgressEntries) cause_o = FlushCauseRoom;
      else if (grown_o > limit_i) cause_o = FlushCausePayload;
    end
  end
endmodule
