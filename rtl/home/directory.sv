// SPDX-License-Identifier: Apache-2.0

/// A directory slice: who, besides the home, may hold copies of the lines of one home bank. An entry tracks as
/// many consecutive lines as its protocol says: one (baseline), a block of four (hmg), a range (rec).
///
/// Two stages. `lookup_i` reads the set of `line_i`; in the next cycle `step_i` says that the request is
/// really performed, and the results stand at the outputs in that same cycle: one home step is one step of
/// directory and data (R1). The results do not depend on `step_i`: they say what the step does if it is
/// taken, so `step_i` may come late, and may be made from them. A new lookup can start in every cycle, also
/// of the same entry: the RAM hands on what the step writes.
///
/// With `Stages` above 1 the step comes so many cycles after its lookup, with its request steady from the cycle after
/// that on, and the next lookup with the step at the earliest.
///
/// After reset a walk over all sets clears the valid bits; `ready_o` is low meanwhile, no lookup may start.
///
/// This module finds, replaces and stores entries. What is in one besides its tag, and what a request does to
/// it, is the business of the protocol's policy, `directory_NAME`; an entry has room for the largest that is
/// built in.
module directory #(
  /// Nodes on the switch, 1 to 16. With one there is nobody to track, and no state.
  parameter int unsigned Nodes = 4,
  /// Entries of this slice; a power of two times Ways.
  parameter int unsigned Entries = 256,
  /// Ways of a set, 1 to 16.
  parameter int unsigned Ways = 8,
  /// Bits of a bank line's number.
  parameter int unsigned LineWidth = 18,
  /// Bytes of a line, for the addresses.
  parameter int unsigned Line = 64,
  /// Banks of a node, for the addresses.
  parameter int unsigned Banks = 1,
  /// Bytes that one entry of protocol rec tracks; from one line to 4 KiB.
  parameter int unsigned Range = 1024,
  /// 1: a hit makes its entry the youngest, for protocols that want it; 0: first in, first out.
  parameter int unsigned Refresh = 1,
  /// Cycles from a lookup to its step, 1 to 4.
  parameter int unsigned Stages = 1,
  /// Follows from the others: sets of sharers that an eviction may owe INVs to, and bits of one set.
  parameter int unsigned Owed = weft_pkg::entry_lines_built(Range / Line),
  parameter int unsigned OwedBits = (Nodes > 1) ? Nodes - 1 : 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  /// The home's node number, the number of this bank, and the protocol; steady.
  input  logic                    [          3:0] self_i,
  input  logic                    [          2:0] bank_i,
  input  weft_pkg::protocol_e                     protocol_i,
  input  logic                    [          6:0] fault_i,
  output logic                                    ready_o,
  /// Stage 1: read the set of this bank line.
  input  logic                                    lookup_i,
  input  logic                    [LineWidth-1:0] line_i,
  /// Stage 2, `Stages` cycles after `lookup_i`: perform the request.
  input  logic                                    step_i,
  input  weft_pkg::dir_op_e                       op_i,
  input  logic                                    local_i,
  /// The requesting node's number; not looked at when local.
  input  logic                    [          3:0] requester_i,
  /// An entry of the line exists.
  output logic                                    hit_o,
  /// Way of the entry hit or allocated, else 0.
  output logic                    [          3:0] way_o,
  output logic                                    allocated_o,
  /// The allocation takes the place of a valid entry, whose first line is this bank line, and which tracked so many.
  output logic                                    evicted_o,
  output logic                    [LineWidth-1:0] evicted_line_o,
  output logic                    [          7:0] lines_o,
  /// Sharers of the line after the step, by sharer bit; zero without an entry.
  output logic                    [         14:0] sharers_o,
  /// Who gets an INV, by sharer bit; for an eviction the sharers of any of its lines. How many messages that is.
  output logic                    [         14:0] inv_sharers_o,
  output logic                    [         10:0] invs_o,
  /// The same as one item of the forward queue: nodes (none: no item), cause and line address.
  output logic                    [         15:0] inv_nodes_o,
  output weft_pkg::cause_e                        inv_cause_o,
  output logic                    [         39:0] inv_address_o,
  /// The INV is of all lines of the entry; or of several, each with sharers of its own.
  output logic                                    inv_block_o,
  output logic                                    inv_spread_o,
  output logic                    [     Owed-1:0][OwedBits-1:0] inv_lines_o,
  /// What was done, one cycle after the step.
  output weft_pkg::dir_event_t                    event_o
);
  import weft_pkg::*;

  localparam int unsigned LineBits = $clog2(Line);
  localparam int unsigned BankBits = $clog2(Banks);
  localparam int unsigned PageLineBits = 12 - LineBits;
  localparam int unsigned RangeLines = Range / Line;

  typedef logic [LineWidth-1:0] line_number_t;
  typedef logic [39:0] address_t;

  /// Puts the bank number back between page and line-in-page.
  function automatic address_t address_of(line_number_t line, logic [3:0] node, logic [2:0] bank);
    address_t number, page;
    number = address_t'(line);
    page   = number >> PageLineBits;
    return {node, 36'b0} | (page << (12 + BankBits)) | (address_t'(bank) << 12) |
           ((number << LineBits) & 40'hfff);
  endfunction

  line_number_t line_q;
  address_t evicted_address;

  always_ff @(posedge clk_i) begin
    if (lookup_i) line_q <= line_i;
  end

  if (Nodes == 1) begin : gen_alone
    assign ready_o         = 1'b1;
    assign hit_o           = 1'b0;
    assign way_o           = '0;
    assign allocated_o     = 1'b0;
    assign evicted_o       = 1'b0;
    assign evicted_line_o  = '0;
    assign evicted_address = '0;
    assign sharers_o       = '0;
    assign inv_sharers_o   = '0;
    assign inv_nodes_o     = '0;
    assign inv_cause_o     = CauseWrite;
    assign inv_address_o   = '0;
    assign lines_o         = '0;
    assign invs_o          = '0;
    assign inv_block_o     = 1'b0;
    assign inv_spread_o    = 1'b0;
    assign inv_lines_o     = '0;
    logic unused;
    assign unused = ^{fault_i, protocol_i};
  end else begin : gen_shared
    localparam int unsigned Sharers = Nodes - 1;
    localparam int unsigned Sets = Entries / Ways;
    localparam int unsigned SetBits = $clog2(Sets);
    localparam int unsigned IndexWidth = (SetBits > 0) ? SetBits : 1;
    // The tag of an entry: what is left of a line's number without the lines of an entry and the set. The widest
    // is that of the protocol with the fewest lines.
    localparam int unsigned BlockWidth = LineWidth - $clog2(entry_lines_fewest(RangeLines));
    localparam int unsigned TagWidth = (BlockWidth > SetBits) ? BlockWidth - SetBits : 1;
    localparam int unsigned WayWidth = (Ways > 1) ? $clog2(Ways) : 1;

    typedef logic [IndexWidth-1:0] index_t;
    typedef logic [TagWidth-1:0] tag_t;
    localparam int unsigned EntryBits = entry_bits_built(Sharers, RangeLines);
    typedef logic [Sharers-1:0] sharers_t;
    typedef logic [EntryBits-1:0] fields_t;
    typedef logic [WayWidth-1:0] way_t;
    typedef struct packed {
      logic    valid;
      tag_t    tag;
      fields_t fields;
    } entry_t;
    typedef struct packed {
      way_t [Ways-1:0]   age;
      entry_t [Ways-1:0] way;
    } set_t;

    // The number of an entry is tag and index, the index at the bottom; either may be the wider one, since a
    // directory may have more sets than there are entries to fill them.
    localparam int unsigned SplitWidth = TagWidth + SetBits;
    typedef logic [SplitWidth-1:0] split_t;
    typedef logic [(LineWidth > IndexWidth ? LineWidth : IndexWidth)-1:0] wide_t;

    logic [2:0] shift;
    line_number_t block;
    logic [6:0] place, place_now;
    index_t lookup_index, index;
    tag_t tag;
    // The protocol is steady, and what follows from it is kept.
    always_ff @(posedge clk_i) shift <= entry_shift(protocol_i, RangeLines);
    assign block        = line_q >> shift;
    assign place_now    = 7'(line_q) & ~(7'h7f << shift);
    assign lookup_index = (Sets > 1) ? index_t'(wide_t'(line_i) >> shift) : '0;
    assign index        = (Sets > 1) ? index_t'(block) : '0;
    assign tag          = tag_t'(split_t'(block) >> SetBits);

    function automatic set_t empty_set();
      set_t set;
      set = '0;
      for (int unsigned w = 0; w < Ways; w++) set.age[w] = way_t'(w);
      return set;
    endfunction

    // The walk that clears the valid bits.
    index_t walk_q;
    logic ready_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        walk_q  <= '0;
        ready_q <= 1'b0;
      end else if (!ready_q) begin
        walk_q  <= walk_q + index_t'(1);
        ready_q <= walk_q == index_t'(Sets - 1);
      end
    end
    assign ready_o = ready_q;

    // The set, read in stage 1.
    set_t set, set_next, write_set;
    index_t write_index;
    logic write, write_step;

    ram #(
      .Words(Sets),
      .Width($bits(set_t)),
      .Block(Stages > 1)
    ) i_sets (
      .clk_i,
      .ren_i  (lookup_i),
      .raddr_i(lookup_index),
      .rdata_o(set),
      .wen_i  (write || !ready_q),
      .waddr_i(ready_q ? write_index : walk_q),
      .wdata_i(ready_q ? write_set : empty_set())
    );

    // Stage 2: the entry hit, and the one that would have to go.
    logic [Ways-1:0] valid, match;
    way_t hit_way, found_way, victim_way, oldest_way, way, touch_way;
    entry_t victim;
    fields_t old_fields, found_fields;
    way_t [Ways-1:0] touched_age;

    always_comb begin
      found_way    = '0;
      found_fields = '0;
      for (int unsigned w = 0; w < Ways; w++) begin
        valid[w] = set.way[w].valid;
        match[w] = set.way[w].valid && set.way[w].tag == tag;
        if (match[w]) begin
          found_way |= way_t'(w);
          found_fields |= set.way[w].fields;
        end
      end
    end
    cut #(
      .Width(1 + 2 * WayWidth + EntryBits + $bits(entry_t) + 7),
      .Cut  (32'(Stages > 1))
    ) i_found (
      .clk_i,
      .data_i({match != '0, found_way, oldest_way, found_fields, set.way[oldest_way], place_now}),
      .data_o({hit_o, hit_way, victim_way, old_fields, victim, place})
    );

    replacement #(
      .Ways(Ways)
    ) i_replacement (
      .valid_i    (valid),
      .ages_i     (set.age),
      .exclude_i  ('0),
      .touch_way_i(touch_way),
      .victim_o   (oldest_way),
      .ages_o     (touched_age)
    );
    assign touch_way = hit_o ? hit_way : victim_way;

    // What the request does to the line's entry.
    typedef struct packed {
      logic valid;
      fields_t fields;
      sharers_t sharers, inv;
      cause_e cause;
      sharers_t [Owed-1:0] victim;
    } decision_t;
    decision_t decided, known;
    logic allocate, valid_next;
    fields_t fields_next;
    sharers_t requester, sharers_next, inv_request, inv;
    sharers_t [Owed-1:0] victim_sharers;
    cause_e cause_request;
    cut #(
      .Width($bits(decision_t)),
      .Cut  (32'(Stages > 2))
    ) i_decided (
      .clk_i,
      .data_i(decided),
      .data_o(known)
    );
    assign valid_next     = known.valid;
    assign fields_next    = known.fields;
    assign sharers_next   = known.sharers;
    assign inv_request    = known.inv;
    assign cause_request  = known.cause;
    assign victim_sharers = known.victim;

    always_comb begin
      for (int unsigned s = 0; s < Sharers; s++) begin
        requester[s] = !local_i && requester_i == ((4'(s) < self_i) ? 4'(s) : 4'(s + 1));
      end
    end

    directory_policies #(
      .Sharers  (Sharers),
      .Range    (RangeLines),
      .EntryBits(EntryBits),
      .Owed     (Owed)
    ) i_policies (
      .protocol_i,
      .op_i,
      .local_i,
      .requester_i     (requester),
      .hit_i           (hit_o),
      .position_i      (place),
      .entry_i         (old_fields),
      .fault_i,
      .valid_o         (decided.valid),
      .entry_o         (decided.fields),
      .sharers_o       (decided.sharers),
      .inv_o           (decided.inv),
      .cause_o         (decided.cause),
      .victim_i        (victim.fields),
      .victim_sharers_o(decided.victim)
    );

    logic refreshes;
    split_t evicted_number;
    assign allocate       = valid_next && !hit_o;
    assign allocated_o    = allocate;
    assign evicted_o      = allocate && victim.valid;
    assign evicted_number = (split_t'(victim.tag) << SetBits) | split_t'(index);
    assign evicted_line_o = line_number_t'(evicted_number) << shift;
    assign way            = allocate ? victim_way : hit_way;
    assign way_o          = 4'(way);
    assign refreshes      = Refresh != 0 && entry_refresh(protocol_i) && hit_o &&
                            !(local_i && op_i == DirOpRead);

    always_comb begin
      set_next     = set;
      set_next.age = (allocate || refreshes) ? touched_age : set.age;
      set_next.way[way] = '{valid: valid_next, tag: tag, fields: fields_next};
    end

    // Invalidations: of the line itself, or of the entry that is evicted; never both, since a line that has no
    // entry yet has no sharers.
    logic block_inv, silent, first_only, late;
    if (Faults != 0) begin : gen_fault
      assign silent     = fault_i == FaultDirectoryEvictsSilently;
      assign first_only = fault_i == FaultDirectoryEvictsFirstLine;
      assign block_inv  = entry_block(protocol_i) && fault_i != FaultDirectoryBlockOneLine;
      assign late       = fault_i == FaultHomeTwoSteps && !local_i && op_i == DirOpRead;
    end else begin : gen_no_fault
      assign silent     = 1'b0;
      assign first_only = 1'b0;
      assign block_inv  = entry_block(protocol_i);
      assign late       = 1'b0;
    end

    // The set is written at the end of the step. With the fault, a read's is written in the next cycle without a
    // step, so that the steps between do not see it.
    if (Faults != 0) begin : gen_late
      logic late_q;
      index_t late_index_q;
      set_t late_set_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) late_q <= 1'b0;
        else if (step_i && late && (hit_o || allocate)) late_q <= 1'b1;
        else if (!write_step) late_q <= 1'b0;
        if (step_i && late) begin
          late_index_q <= index;
          late_set_q   <= set_next;
        end
      end
      assign write       = write_step || late_q;
      assign write_index = write_step ? index : late_index_q;
      assign write_set   = write_step ? set_next : late_set_q;
    end else begin : gen_in_step
      assign write       = write_step;
      assign write_index = index;
      assign write_set   = set_next;
    end
    assign write_step = step_i && (hit_o || allocate) && !late;

    sharers_t any_owed;
    sharers_t [Owed-1:0] owed;
    logic [7:0] lines_tracked;
    logic [10:0] messages;
    always_comb begin
      any_owed      = '0;
      lines_tracked = '0;
      messages      = '0;
      for (int unsigned i = 0; i < Owed; i++) begin
        lines_tracked += 8'(victim_sharers[i] != '0);
        owed[i] = (silent || (first_only && any_owed != '0)) ? '0 : victim_sharers[i];
        any_owed |= owed[i];
        for (int unsigned s = 0; s < Sharers; s++) messages += 11'(owed[i][s]);
      end
    end
    // How many of each: for counters and events alone.
    logic [10:0] invs;
    logic [7:0] lines;
    always_comb begin
      invs = messages;
      if (!evicted_o) begin
        invs = '0;
        for (int unsigned s = 0; s < Sharers; s++) invs += 11'(inv_request[s]);
      end
    end
    assign lines = !evicted_o ? '0 : entry_block(protocol_i) ? 8'd1 << shift : lines_tracked;
    cut #(
      .Width($bits(invs) + $bits(lines)),
      .Cut  (32'(Stages > 3))
    ) i_counted (
      .clk_i,
      .data_i({invs, lines}),
      .data_o({invs_o, lines_o})
    );
    assign inv          = evicted_o ? any_owed : inv_request;
    assign inv_lines_o  = owed;
    assign inv_block_o  = block_inv;
    assign inv_spread_o = evicted_o && !block_inv && shift != '0;

    always_comb begin
      inv_nodes_o = '0;
      for (int unsigned s = 0; s < Sharers; s++) begin
        if (4'(s) < self_i) inv_nodes_o[s] = inv[s];
        else inv_nodes_o[s+1] = inv[s];
      end
    end

    assign sharers_o       = valid_next ? 15'(sharers_next) : '0;
    assign inv_sharers_o   = 15'(inv);
    assign inv_cause_o     = evicted_o ? CauseEvict : cause_request;
    assign evicted_address = address_of(evicted_line_o, self_i, bank_i);
    assign inv_address_o   = evicted_o ? evicted_address :
                             address_of(block_inv ? block << shift : line_q, self_i, bank_i);
  end

  // The event port.
  logic [15:0] seq_q;
  dir_event_t  event_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      seq_q   <= '0;
      event_q <= '0;
    end else begin
      seq_q   <= seq_q + 16'(step_i);
      event_q <= '{
        valid: step_i,
        seq: seq_q,
        op: op_i,
        local_: local_i,
        requester: local_i ? self_i : requester_i,
        address: address_of(line_q, self_i, bank_i),
        hit: hit_o,
        way: way_o,
        allocated: allocated_o,
        evicted: evicted_o,
        evicted_address: evicted_o ? evicted_address : '0,
        lines: lines_o,
        inv_sharers: inv_sharers_o,
        invs: invs_o,
        cause: inv_cause_o,
        sharers: sharers_o,
        tsu: '0
      };
    end
  end
  assign event_o = event_q;

  if (Nodes < 1 || Nodes > 16) begin : gen_check_nodes
    $error("directory: Nodes must be 1 to 16");
  end
  if (Stages < 1 || Stages > 4) begin : gen_check_stages
    $error("directory: Stages must be 1 to 4");
  end
  if (Ways < 1 || Ways > 16 || Entries % Ways != 0 || Entries < Ways) begin : gen_check_entries
    $error("directory: Ways must be 1 to 16 and divide Entries");
  end
  if (2 ** $clog2(Entries / Ways) != Entries / Ways) begin : gen_check_sets
    $error("directory: Entries / Ways must be a power of two");
  end
  if (Range < Line || Range > 4096 || 2 ** $clog2(Range) != Range) begin : gen_check_range
    $error("directory: Range must be a power of two, from one line to 4096");
  end
  if (Line != 16 && Line != 32 && Line != 64 && Line != 128) begin : gen_check_line
    $error("directory: Line must be 16, 32, 64 or 128");
  end
  if (Banks != 1 && Banks != 2 && Banks != 4 && Banks != 8) begin : gen_check_banks
    $error("directory: Banks must be 1, 2, 4 or 8");
  end
  if (LineWidth < PageLineBits || LineWidth > 36 - LineBits - BankBits) begin : gen_check_width
    $error("directory: LineWidth must hold the lines of 4 KiB and fit the 36-bit offset");
  end
endmodule
