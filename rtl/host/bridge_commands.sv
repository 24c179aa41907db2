// SPDX-License-Identifier: Apache-2.0

/// Executes the host's commands (docs/frames.md) one after the other, as their bytes come out of the receive buffer.
///
/// What a frame's CRC cannot tell, that a command is one and that it fits this machine, is checked here before anything is
/// done; the first that does not is refused, and nothing more is executed before a reset.
module bridge_commands
  import weft_pkg::*;
  import host_frame_pkg::*;
#(
  /// Derived, not to be set.
  localparam int unsigned Ports = Nodes * Cus,
  localparam int unsigned PortBits = (Ports > 1) ? $clog2(Ports) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic reset_i,
  /// Begin no command.
  input  logic wait_i,

  input  logic        valid_i,
  output logic        ready_o,
  input  logic [ 7:0] data_i,
  input  logic        last_i,
  /// Bytes that were taken before the one that is next.
  output logic [15:0] executed_o,

  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,
  output logic       last_o,

  /// Operations for the CU ports; `op_count_o` bytes of the answer from `op_offset_o` on are wanted.
  output logic                op_valid_o,
  input  logic                op_ready_i,
  /// Its place is in use; of the cycle before.
  input  logic                op_busy_i,
  output logic [PortBits-1:0] op_port_o,
  output logic [        31:0] op_issue_o,
  output cu_req_t             op_req_o,
  output logic [         6:0] op_offset_o,
  output logic [         7:0] op_count_o,
  /// All that waits is forgotten. Time is held some cycles before, so that nothing is just being taken.
  output logic                cancel_o,
  output logic                pause_o,
  input  logic [        15:0] waiting_i,

  output logic        host_valid_o,
  output logic        host_write_o,
  output logic [23:0] host_address_o,
  output logic [31:0] host_wdata_o,
  input  logic        host_ready_i,
  input  logic [31:0] host_rdata_i,
  output logic        hmem_en_o,
  output logic        hmem_write_o,
  output logic [39:0] hmem_address_o,
  output line_t       hmem_wdata_o,
  input  line_t       hmem_rdata_i,

  output logic        start_o,
  output logic        to_answer_o,
  output logic [31:0] limit_o,
  output logic        free_o,
  output logic        zero_o,
  input  logic        running_i,
  input  stop_e       reason_i,
  input  logic [63:0] now_i,
  /// All answers have been sent.
  input  logic        empty_i,

  /// Between two commands, and none waits.
  output logic idle_o,
  /// Something was refused.
  output logic halted_o
);
  localparam logic [23:0] FlagsAddress = 24'h00_0200;
  localparam int unsigned LineBits = $clog2(Line);

  typedef enum logic [4:0] {
    StCode,
    StFixed,
    StCheck,
    StBegin,
    StSize,
    StSized,
    StMask,
    StData,
    StInsert,
    StHead,
    StSend,
    StRead,
    StWrite,
    StPeek,
    StPeeked,
    StLine,
    StPoke,
    StPattern,
    StFill,
    StEcho,
    StUntil,
    StRun,
    StDrain,
    StCancel,
    StRefuse,
    StHalt
  } state_e;

  // Where it goes on behind what is sent; of its own, so that synthesis sees which states follow which.
  typedef enum logic [2:0] {
    AfterCode,
    AfterRead,
    AfterPeek,
    AfterEcho,
    AfterHalt
  } after_e;

  state_e state_q, state_d;
  after_e after_q, after_d;
  logic [13:0][7:0] head_q;
  logic [3:0] at_q, need_q;
  logic [15:0] executed_q, place_q;
  logic ended_q, cut_q, whole_q;
  refused_e why_q, why_d, why, check_q;
  logic [39:0] address_q, address_d;
  logic [23:0] left_q, left_d;  // words, lines or bytes
  line_t line_q;
  mask_t mask_q;
  logic [7:0] pos_q, pos_d;
  logic [8:0] end_q, end_d;
  logic empty_q;  // a size of 0
  logic [79:0] out_q, out_d;
  logic [3:0] out_left_q, out_left_d;
  logic out_last_q, out_last_d;
  stop_e reason_q, reason_d;
  logic [31:0] now_q;  // when the command came
  logic until_q, until_d;

  // ---------------------------------------------------------------- bytes
  logic wants, pop, cut;
  // A command's bytes are all in its frame.
  assign wants = state_q inside {StFixed, StSize, StMask, StData};
  assign cut = wants && ended_q;
  assign pop = valid_i && ready_o;
  always_comb begin
    ready_o = wants && !ended_q;
    if (state_q == StCode) ready_o = !wait_i;
    if (state_q == StEcho) ready_o = ready_i && !ended_q;
    if (state_q == StHalt) ready_o = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i) executed_q <= '0;
    else if (pop) executed_q <= executed_q + 16'd1;
  end
  assign executed_o = executed_q;

  function automatic logic [3:0] fixed_bytes(logic [7:0] code);
    if (code[7]) return code[4] ? 4'd14 : 4'd10;
    unique case (code)
      CodeNop, CodeFree, CodeZero, CodeCancel: return 4'd1;
      CodeEcho: return 4'd2;
      CodeRead: return 4'd5;
      CodeRun: return 4'd6;
      CodePeek, CodePoke, CodeUntil: return 4'd7;
      CodeWrite: return 4'd8;
      CodeFill: return 4'd13;
      default: return 4'd0;
    endcase
  endfunction

  logic [3:0] fixed_new;
  assign fixed_new = fixed_bytes(data_i);

  // ---------------------------------------------------------------- fields
  logic is_op, masked, timed;
  cu_op_e op;
  logic [3:0] node, warp, func;
  logic [2:0] cu, order;
  logic [1:0] scope;
  logic [LineBits-1:0] first;

  assign is_op = head_q[0][7];
  assign op = cu_op_e'(head_q[0][6:5]);
  assign timed = head_q[0][4];
  assign warp = head_q[0][3:0];
  assign {masked, cu, node} = head_q[1];
  assign {order, scope} = head_q[3][7:3];
  assign func = head_q[4][7:4];
  assign first = head_q[5][LineBits-1:0];

  // Known a cycle after the last byte of the head. What follows the head is taken meanwhile: nothing is done before all
  // of a command is there.
  bridge_check i_check (
    .clk_i,
    .head_i(head_q),
    .why_o (why)
  );
  always_ff @(posedge clk_i) check_q <= why;

  // ---------------------------------------------------------------- time
  // In steps: time stands, and the registers' answer takes longer.
  logic [31:0] limit, limit_q, to_limit_q, step_end_q;
  logic is_run, past_q, short_q;
  assign is_run = head_q[0] == CodeRun;
  assign limit = is_run ? {head_q[5], head_q[4], head_q[3], head_q[2]} :
      {head_q[6], head_q[5], head_q[4], head_q[3]};
  always_ff @(posedge clk_i) begin
    to_limit_q <= limit - now_i[31:0];
    step_end_q <= now_i[31:0] + 32'(head_q[2]);
    past_q     <= to_limit_q[31] || to_limit_q == '0;
    short_q    <= to_limit_q < 32'(head_q[2]);
    // UNTIL goes on by steps, the last of which may be shorter.
    limit_q    <= (is_run || short_q) ? limit : step_end_q;
  end
  assign limit_o = limit_q;
  assign to_answer_o = is_run && head_q[1][0];

  // ---------------------------------------------------------------- registers of the fabric
  // Asked from a register, and the answer goes to one: the ways through the fabric are long.
  logic asks, asks_q, asks_write_q, answered_q;
  logic [31:0] rdata_q;
  assign asks = state_q inside {StRead, StWrite, StUntil};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i) begin
      asks_q     <= 1'b0;
      answered_q <= 1'b0;
    end else begin
      asks_q     <= asks && !answered_q && !(asks_q && host_ready_i);
      answered_q <= asks_q && host_ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    asks_write_q <= state_q == StWrite;
    rdata_q      <= host_rdata_i;
  end

  // ---------------------------------------------------------------- steps
  logic sent, size_bad;
  assign sent = valid_o && ready_i;
  assign size_bad = empty_q || end_q > 9'(Line);

  /// Where an operation goes on behind its head.
  function automatic state_e after_head(cu_op_e kind, logic with_mask);
    state_e next;
    next = with_mask ? StMask : StSize;
    if (kind == CuOpFence) next = StCheck;
    if (kind == CuOpAtomic) next = StData;
    return next;
  endfunction

  always_comb begin
    state_d = state_q;
    after_d = after_q;
    why_d = why_q;
    address_d = address_q;
    left_d = left_q;
    pos_d = pos_q;
    end_d = end_q;
    out_d = out_q;
    out_left_d = out_left_q;
    out_last_d = out_last_q;
    reason_d = reason_q;
    until_d = until_q;
    start_o = 1'b0;
    free_o = 1'b0;
    zero_o = 1'b0;
    cancel_o = 1'b0;
    unique case (state_q)
      StCode: begin
        pos_d = '0;
        if (pop) begin
          state_d = (fixed_new == 4'd1) ? StCheck : StFixed;
          if (fixed_new == '0) begin
            why_d   = RefusedCommand;
            state_d = StRefuse;
          end
        end
      end
      StFixed: begin
        end_d = 9'(Line);
        if (is_op && op == CuOpAtomic) end_d = (func == FuncCas) ? 9'd16 : 9'd8;
        if (pop && need_q == 4'd1) state_d = is_op ? after_head(op, masked) : StCheck;
      end
      StCheck: begin
        address_d = {head_q[5], head_q[4], head_q[3], head_q[2], head_q[1]};
        left_d = 24'(head_q[6]);
        unique case (head_q[0])
          CodeFill: left_d = {head_q[8], head_q[7], head_q[6]};
          CodeRead: left_d = 24'(head_q[4]);
          CodeEcho: left_d = 24'(head_q[1]);
          CodeUntil: address_d = 40'(FlagsAddress);
          default: ;
        endcase
        state_d = is_op ? StInsert : StBegin;
      end
      StBegin: begin
        out_last_d = 1'b0;
        state_d = StCode;
        unique case (head_q[0])
          CodeRead: begin
            out_left_d = 4'd5;
            state_d = StHead;
            after_d = AfterRead;
          end
          CodeWrite: state_d = StWrite;
          CodePeek: begin
            out_left_d = 4'd7;
            state_d = StHead;
            after_d = AfterPeek;
          end
          CodePoke: state_d = StData;
          CodeFill: state_d = StPattern;
          CodeEcho: begin
            out_left_d = 4'd2;
            state_d = StHead;
            after_d = AfterEcho;
          end
          CodeRun: begin
            start_o = check_q == RefusedNot;
            until_d = 1'b0;
            state_d = StRun;
          end
          CodeUntil: state_d = StUntil;
          CodeFree: free_o = 1'b1;
          CodeZero: zero_o = 1'b1;
          CodeCancel: state_d = StCancel;
          default: ;
        endcase
        if (check_q != RefusedNot) state_d = StRefuse;
      end
      StSize:
      if (pop) begin
        end_d   = 9'(first) + 9'(data_i);
        state_d = StSized;
      end
      StSized: begin
        pos_d   = 8'(first);
        state_d = (op == CuOpLoad) ? StInsert : StData;
        if (size_bad) begin
          why_d   = RefusedSize;
          state_d = StRefuse;
        end
      end
      StMask:
      if (pop) begin
        pos_d = pos_q + 8'd1;
        if (pos_q == 8'(Line / 8 - 1)) begin
          pos_d   = '0;
          state_d = StData;
        end
      end
      StData:
      if (pop) begin
        pos_d = pos_q + 8'd1;
        if (9'(pos_q) + 9'd1 == end_q) state_d = is_op ? StInsert : StPoke;
      end
      StInsert: begin
        if (check_q != RefusedNot) begin
          state_d = StRefuse;
        end else if (op_busy_i) begin
          why_d   = RefusedInFlight;
          state_d = StRefuse;
        end else if (op_ready_i) begin
          state_d = StCode;
        end
      end
      StHead, StSend:
      if (sent) begin
        out_d = {8'd0, out_q[79:8]};
        out_left_d = out_left_q - 4'd1;
        if (out_left_q == 4'd1) begin
          unique case (after_q)
            AfterRead: state_d = StRead;
            AfterPeek: state_d = StPeek;
            AfterEcho: state_d = StEcho;
            AfterHalt: state_d = StHalt;
            default: state_d = StCode;
          endcase
        end
      end
      StRead:
      if (answered_q) begin
        out_d[31:0] = rdata_q;
        out_left_d = 4'd4;
        out_last_d = left_q == 24'd1;
        left_d = left_q - 24'd1;
        address_d = address_q + 40'd4;
        state_d = StSend;
        after_d = (left_q == 24'd1) ? AfterCode : AfterRead;
      end
      StWrite: if (answered_q) state_d = StCode;
      StPeek: state_d = StPeeked;
      StPeeked: begin
        left_d  = left_q - 24'd1;
        pos_d   = '0;
        state_d = StLine;
      end
      StLine:
      if (sent) begin
        pos_d = pos_q + 8'd1;
        if (pos_q == 8'(Line - 1)) begin
          address_d = address_q + 40'(Line);
          state_d   = (left_q == '0) ? StCode : StPeek;
        end
      end
      StPattern: begin
        pos_d = pos_q + 8'd1;
        if (pos_q == 8'(Line - 1)) state_d = StFill;
      end
      StPoke, StFill: begin
        left_d = left_q - 24'd1;
        address_d = address_q + 40'(Line);
        pos_d = '0;
        if (left_q == 24'd1) state_d = StCode;
        else if (state_q == StPoke) state_d = StData;
      end
      StEcho:
      if (sent) begin
        left_d = left_q - 24'd1;
        if (left_q == 24'd1) begin
          state_d = StCode;
          if (cut_q || ended_q) begin
            why_d   = RefusedCut;
            state_d = StRefuse;
          end
        end
      end
      StUntil:
      if (answered_q) begin
        until_d = 1'b1;
        state_d = StDrain;
        if ((rdata_q[7:0] & head_q[1]) != '0) begin
          reason_d = StopFlag;
        end else if (past_q) begin
          reason_d = StopLimit;
        end else begin
          start_o = 1'b1;
          state_d = StRun;
        end
      end
      StRun:
      if (!running_i) begin
        reason_d = reason_i;
        state_d  = until_q ? StUntil : StDrain;
      end
      StDrain:
      if (empty_i) begin
        out_d = {now_i, reason_q, CodeRun};
        out_left_d = 4'd10;
        out_last_d = 1'b1;
        state_d = StSend;
        after_d = AfterCode;
      end
      StCancel: begin
        pos_d = pos_q + 8'd1;
        if (pos_q == 8'd3) begin
          cancel_o = 1'b1;
          out_d[23:0] = {waiting_i, head_q[0]};
          out_left_d = 4'd3;
          out_last_d = 1'b1;
          state_d = StSend;
          after_d = AfterCode;
        end
      end
      StRefuse: begin
        // What is wrong with the head comes before what is wrong behind it.
        out_d[39:0] = {
          place_q, head_q[0], (whole_q && check_q != RefusedNot) ? check_q : why_q, CodeRefused
        };
        out_left_d = 4'd5;
        out_last_d = 1'b1;
        state_d = StSend;
        after_d = AfterHalt;
      end
      default: ;
    endcase
    if (cut) begin
      why_d   = RefusedCut;
      state_d = StRefuse;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i) begin
      state_q  <= StCode;
      halted_o <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == StRefuse) halted_o <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    after_q    <= after_d;
    why_q      <= why_d;
    address_q  <= address_d;
    left_q     <= left_d;
    pos_q      <= pos_d;
    end_q      <= end_d;
    out_q      <= out_d;
    out_left_q <= out_left_d;
    out_last_q <= out_last_d;
    reason_q   <= reason_d;
    until_q    <= until_d;
    if (pop) ended_q <= last_i;
    if (state_q == StSize) empty_q <= data_i == '0;
    if (state_q inside {StCode, StFixed}) now_q <= now_i[31:0];
    if (state_q == StCode) begin
      place_q <= executed_q;
      need_q  <= fixed_new - 4'd1;
      cut_q   <= 1'b0;
      whole_q <= 1'b0;
    end else if (state_q == StFixed && pop) begin
      need_q  <= need_q - 4'd1;
      whole_q <= need_q == 4'd1;
    end
    if (state_q == StEcho && sent && ended_q) cut_q <= 1'b1;
  end

  // The head: its bytes as they come, and again as they are sent back.
  always_ff @(posedge clk_i) begin
    if (state_q == StCode) at_q <= 4'd1;
    else if (state_q == StBegin) at_q <= '0;
    else if ((state_q == StFixed && pop) || (state_q == StHead && sent)) at_q <= at_q + 4'd1;
    for (int unsigned b = 0; b < 14; b++) begin
      if (b == 0 ? state_q == StCode : state_q == StFixed && pop && at_q == 4'(b)) head_q[b] <= data_i;
    end
  end

  // A line, byte by byte: of the command, of FILL's pattern, or all at once from the memory.
  logic line_byte;
  logic [7:0] line_data;
  assign line_byte = (state_q == StData && pop) || state_q == StPattern;
  assign line_data = (state_q == StPattern) ? head_q[4'd9+4'(pos_q[1:0])] : data_i;

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Line; b++) begin
      if (state_q == StCode) line_q[8*b+:8] <= '0;
      else if (state_q == StPeeked) line_q[8*b+:8] <= hmem_rdata_i[8*b+:8];
      else if (line_byte && pos_q == 8'(b)) line_q[8*b+:8] <= line_data;
    end
  end

  /// Whether a byte's number is less than this one. Bit by bit, since synthesis would make a carry chain for each byte.
  function automatic logic below(int unsigned number, logic [LineBits:0] other);
    logic less;
    less = 1'b0;
    for (int unsigned i = 0; i <= LineBits; i++) less = number[i] ? other[i] && less : other[i] || less;
    return less;
  endfunction

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Line; b++) begin
      if (state_q == StCode) mask_q[b] <= 1'b0;
      else if (state_q == StSized)
        mask_q[b] <= !below(b, (LineBits + 1)'(first)) && below(b, end_q[LineBits:0]);
      else if (state_q == StMask && pop && pos_q == 8'(b / 8)) mask_q[b] <= data_i[b%8];
    end
  end

  // ---------------------------------------------------------------- outputs
  assign valid_o = state_q inside {StHead, StSend, StLine} || (state_q == StEcho && (valid_i || ended_q));
  assign last_o = (state_q == StSend && out_left_q == 4'd1 && out_last_q) ||
      (state_q == StLine && pos_q == 8'(Line - 1) && left_q == '0) || (state_q == StEcho && left_q == 24'd1);
  always_comb begin
    data_o = out_q[7:0];
    if (state_q == StHead) data_o = head_q[{1'b0, at_q[2:0]}];
    if (state_q == StLine) data_o = line_q[8*pos_q[LineBits-1:0]+:8];
    if (state_q == StEcho) data_o = ended_q ? '0 : data_i;
  end

  assign op_valid_o = state_q == StInsert && check_q == RefusedNot && !op_busy_i;
  assign op_port_o = PortBits'(32'(node) * Cus + 32'(cu));
  assign op_issue_o = timed ? {head_q[13], head_q[12], head_q[11], head_q[10]} : now_q;
  assign op_req_o = '{
      warp: warp,
      tag: head_q[2],
      op: op,
      func: func_e'(func),
      wide: head_q[3][2],
      order: order_e'(order),
      scope: scope_e'(scope),
      attr: head_q[4][3:0],
      address: {head_q[9], head_q[8], head_q[7], head_q[6], head_q[5]},
      mask: mask_q,
      data: line_q
  };
  always_comb begin
    op_offset_o = '0;
    op_count_o  = '0;
    if (op == CuOpLoad) begin
      op_offset_o = 7'(first);
      op_count_o  = 8'(end_q) - 8'(first);
    end
    if (op == CuOpAtomic) op_count_o = 8'd8;
  end

  assign pause_o = state_q == StCancel;
  assign host_valid_o = asks_q;
  assign host_write_o = asks_write_q;
  assign host_address_o = address_q[23:0];
  assign host_wdata_o = {head_q[7], head_q[6], head_q[5], head_q[4]};
  assign hmem_en_o = state_q inside {StPeek, StPoke, StFill};
  assign hmem_write_o = state_q != StPeek;
  assign hmem_address_o = address_q;
  assign hmem_wdata_o = line_q;
  assign idle_o = state_q inside {StCode, StHalt} && !valid_i;
endmodule
