// SPDX-License-Identifier: Apache-2.0

/// What the stages of an L2 bank pass to one another, and how it reads an address (docs/protocol.md "Words").
package l2_pkg;
  import weft_pkg::*;

  localparam int unsigned LineBits = $clog2(Line);
  localparam int unsigned BankBits = $clog2(L2Banks);
  localparam int unsigned SetBits = $clog2(L2Sets);
  localparam int unsigned WayBits = $clog2(L2Ways);
  // Lines of one bank; address bits above the memory's size are zero (the L1 answers others with an error).
  localparam int unsigned BankLineBits = $clog2(MemoryBytes / L2Banks / Line);
  localparam int unsigned TagBits = 4 + BankLineBits - SetBits;

  // What an evicted directory entry may owe: INVs of so many lines, each to so many sharers.
  localparam int unsigned EntryOwed = entry_lines_built(DirectoryRange / Line);
  localparam int unsigned Sharers = (Nodes > 1) ? Nodes - 1 : 1;
  localparam int unsigned BlockLines = 4;  // of an INV of a block

  // Cycles of stage C beyond its first, where a step has them.
  localparam int unsigned LateData = (L2Interval > 4 && EgressFinepack == 0) ? 2 : (L2Interval > 1) ? 1 : 0;
  // Requests leave by the first cycle of C, not by stage B: where C has three, and before a write queue, which takes them at once
  // where a link takes them a flight later. So nobody has one before its step's event.
  localparam bit LateReq = LateData > 1 || (LateData > 0 && EgressFinepack != 0);
  // Cycles that an atomic is tried for: its word is read, counted out, compared; and one more where the TSU has a register behind
  // its times.
  localparam int unsigned TryCycles = 2 + LateData + ((L2Interval > 3) ? 1 : 0);
  // Cycles from the one in which a bank is told to stop until the answer of a step that was chosen before it has been counted: a
  // rebase begins behind it.
  localparam int unsigned SettleCycles = L2Interval + TryCycles;

  typedef logic [39-LineBits:0] lineno_t;
  typedef logic [BankLineBits-1:0] bankline_t;
  typedef logic [SetBits-1:0] set_t;
  typedef logic [WayBits-1:0] way_t;
  typedef logic [TagBits-1:0] tag_t;

  typedef struct packed {
    logic valid;
    logic dirty;
    tag_t tag;
  } entry_t;
  typedef struct packed {
    entry_t [L2Ways-1:0] entry;
    way_t [L2Ways-1:0] age;  // stored xor the way's number, so that a zero word is the reset order
  } tags_t;

  /// One step on its way through the bank: its kind and its input.
  typedef struct packed {
    logic valid;
    l2_event_kind_e kind;
    logic [5:0] index;
    req_t req;
    order_e order;
    scope_e scope;
    fwd_t fwd;
    rsp_t rsp;
    lineno_t line;
  } work_t;

  /// Whether it is to be seen if the atomic leaves what it finds, and so writes nothing. An add is not: it would have to add 0.
  function automatic logic may_fail(req_kind_e kind, func_e func);
    return kind == ReqKindAtomic && func != FuncAdd;
  endfunction

  function automatic bankline_t bankline_of(logic [39:0] address);
    return BankLineBits'({address[35:12+BankBits], address[11:LineBits]});
  endfunction

  function automatic set_t set_of(logic [39:0] address);
    return SetBits'(bankline_of(address));
  endfunction

  function automatic tag_t tag_of(logic [39:0] address);
    bankline_t bankline;
    bankline = bankline_of(address);
    return {address[39:36], bankline[BankLineBits-1:SetBits]};
  endfunction

  /// The address of a bank line; the inverse of bankline_of.
  function automatic logic [39:0] address_of(logic [3:0] home, bankline_t bankline, logic [2:0] bank);
    logic [35:0] offset;
    offset = '0;
    offset[11:LineBits] = bankline[11-LineBits:0];
    offset[35:12] = 24'(bankline[BankLineBits-1:12-LineBits]) << BankBits;
    offset[35:12] |= 24'(bank) & 24'((1 << BankBits) - 1);
    return {home, offset};
  endfunction
endpackage
