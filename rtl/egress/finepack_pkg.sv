// SPDX-License-Identifier: Apache-2.0

/// FinePack's arithmetic (chapter V of the paper): byte masks and their runs, what they take in a packet and as plain
/// writes, windows. And what the write queue hands to the packetizer.
package finepack_pkg;
  import weft_pkg::*;

  localparam int unsigned BlockBytes = 128;  // of the queue's blocks, whatever the line
  localparam int unsigned BlockBits = 7;
  localparam int unsigned OffsetBits = 36;  // of an address, below its node
  localparam int unsigned SubHeaderMax = 6;
  localparam int unsigned Partitions = (Nodes > 1) ? Nodes - 1 : 1;
  localparam int unsigned Sets = 2 * Partitions;  // one fills while the other one drains
  localparam int unsigned PartBits = (Partitions > 1) ? $clog2(Partitions) : 1;

  // Bytes of payload that leave per cycle: a beat of the link, of 4 to 32 bytes. So many lanes, each with a block, keep
  // it up from blocks of 5 bytes on, sub-header included, although the first one may have a single byte left.
  localparam int unsigned BeatBytes = (LinkBytes >= 32) ? 32 : (LinkBytes > 8) ? 16 : (LinkBytes > 4) ? 8 : 4;
  localparam int unsigned WantedLanes = (BeatBytes > 8) ? BeatBytes / 4 : BeatBytes / 2;
  localparam int unsigned Lanes = (WantedLanes < EgressEntries) ? WantedLanes : EgressEntries;
  localparam int unsigned LaneBits = (Lanes > 1) ? $clog2(Lanes) : 1;
  localparam int unsigned Runs = BeatBytes / 4 + 1;
  localparam int unsigned Rows = EgressEntries / Lanes;  // blocks of a set in one lane
  localparam int unsigned RowBits = (Sets * Rows > 1) ? $clog2(Sets * Rows) : 1;

  typedef logic [BlockBytes-1:0] enables_t;
  typedef logic [8*BlockBytes-1:0] block_t;
  typedef logic [OffsetBits-1:BlockBits] tag_t;  // a block's place in its node
  typedef logic [RowBits-1:0] row_t;
  typedef logic [2:0] sub_header_t;
  typedef logic [8:0] encoded_t;  // bytes of a block in a packet: at most 64 runs of a byte

  /// A flush, or a message that passes, in the order in which they came.
  typedef struct packed {
    logic flush;
    logic plain;  // its one run leaves as a WRITE
    logic [3:0] dst;
    logic [4:0] set;
    logic [39:0] base;
    logic [12:0] payload;  // bytes
    logic [6:0] used;  // blocks
    logic [10:0] runs;
    sub_header_t sub_header;
    logic prefix;
  } work_t;

  /// What a step of the queue did: a part of the egress's event.
  typedef struct packed {
    egress_kind_e kind;
    logic taken;
    logic hit;
    logic [5:0] slot;
    logic plain;
    logic flushed;
    flush_cause_e cause;
    logic [3:0] dst;
    logic [7:0] merged;  // bytes that overwrote queued ones
  } step_t;

  /// Bytes whose neighbour below is not enabled: a run begins there.
  function automatic enables_t run_starts(enables_t e);
    return e & ~(e << 1);
  endfunction

  function automatic logic [6:0] runs_of(enables_t e);
    return 7'($countones(run_starts(e)));
  endfunction

  function automatic encoded_t encoded(enables_t e, sub_header_t sub_header);
    return 9'(runs_of(e)) * 9'(sub_header) + 9'($countones(e));
  endfunction

  /// Bytes where a line begins, and where a word does.
  localparam enables_t LineStarts = {BlockBytes / Line{{(Line - 1) {1'b0}}, 1'b1}};
  localparam enables_t WordStarts = {BlockBytes / 4{4'b0001}};

  /// Plain WRITEs that the bytes make: one for each run in each line.
  function automatic logic [7:0] plain_writes(enables_t e);
    return 8'($countones(e & (run_starts(e) | LineStarts)));
  endfunction

  /// Words that they carry: one counts for each run in it.
  function automatic logic [7:0] plain_words(enables_t e);
    return 8'($countones(e & (run_starts(e) | WordStarts)));
  endfunction

  /// One WRITE carries it all and costs no more link bytes than the packet: 24 around both, 4 more with a prefix.
  /// Two never do: the second one's 24 bytes are more than its sub-header and the padding.
  function automatic logic plain_is_shorter(enables_t e, logic [12:0] payload, logic prefix);
    logic [12:0] words;
    words = (payload + 13'd3) >> 2;
    return plain_writes(e) == 8'd1 && 13'(plain_words(e)) <= words + 13'(prefix);
  endfunction

  /// Ones where an address lies below the base. The reach ends at a node's window, or a masked base could be another
  /// node's address.
  function automatic logic [OffsetBits-1:0] window_mask(sub_header_t sub_header);
    case (sub_header)
      3'd2: return 36'h3f;
      3'd3: return 36'h3fff;
      3'd4: return 36'h3fffff;
      3'd5: return 36'h3fffffff;
      default: return '1;
    endcase
  endfunction

  /// The partition of a destination: the node itself has none.
  function automatic logic [PartBits-1:0] partition_of(logic [3:0] dst, logic [3:0] self);
    return PartBits'((dst > self) ? dst - 4'd1 : dst);
  endfunction

  function automatic logic [3:0] destination_of(logic [PartBits-1:0] part, logic [3:0] self);
    return (4'(part) >= self) ? 4'(part) + 4'd1 : 4'(part);
  endfunction
endpackage
