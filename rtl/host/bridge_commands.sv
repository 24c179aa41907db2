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
  input  logic [15:0] executed_i,

  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,
  output logic       last_o,

  /// Operations for the CU ports; `op_count_o` bytes of the answer from `op_offset_o` on are wanted.
  output logic                op_valid_o,
  input  logic                op_ready_i,
  input  logic                op_busy_i,
  output logic [PortBits-1:0] op_port_o,
  output logic [        31:0] op_issue_o,
  output cu_req_t             op_req_o,
  output logic [         6:0] op_offset_o,
  output logic [         7:0] op_count_o,
  output logic                cancel_o,
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
    StSize,
    StMask,
    StData,
    StInsert,
    StSend,
    StRead,
    StWrite,
    StPeek,
    StPeeked,
    StLine,
    StPoke,
    StFill,
    StEcho,
    StUntil,
    StRun,
    StDrain,
    StRefuse,
    StHalt
  } state_e;

  state_e state_q, state_d, after_q, after_d;
  logic [13:0][7:0] head_q;
  logic [3:0] at_q;
  logic [15:0] place_q;
  logic ended_q, cut_q;
  refused_e why_q, why_d, why;
  logic [39:0] address_q, address_d;
  logic [23:0] left_q, left_d;  // words, lines or bytes
  line_t line_q;
  mask_t mask_q;
  logic [7:0] pos_q, pos_d, end_q, end_d;
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

  logic [3:0] fixed_new, fixed;
  assign fixed_new = fixed_bytes(data_i);
  assign fixed = fixed_bytes(head_q[0]);

  // ---------------------------------------------------------------- fields
  logic is_op, masked, timed;
  cu_op_e op;
  logic [3:0] node, warp, func;
  logic [2:0] cu, order;
  logic [1:0] scope;
  logic [39:0] lines_address;
  logic [23:0] lines_count;
  logic [LineBits-1:0] first;

  assign is_op = head_q[0][7];
  assign op = cu_op_e'(head_q[0][6:5]);
  assign timed = head_q[0][4];
  assign warp = head_q[0][3:0];
  assign {masked, cu, node} = head_q[1];
  assign {order, scope} = head_q[3][7:3];
  assign func = head_q[4][7:4];
  assign first = head_q[5][LineBits-1:0];
  assign lines_address = {head_q[5], head_q[4], head_q[3], head_q[2], head_q[1]};
  assign lines_count = (head_q[0] == CodeFill) ? {head_q[8], head_q[7], head_q[6]} : {16'd0, head_q[6]};

  bridge_check i_check (
    .head_i(head_q),
    .why_o (why)
  );

  // ---------------------------------------------------------------- time
  logic [31:0] limit, to_limit, step_end;
  assign limit = (head_q[0] == CodeRun) ? {head_q[5], head_q[4], head_q[3], head_q[2]} :
      {head_q[6], head_q[5], head_q[4], head_q[3]};
  assign to_limit = limit - now_i[31:0];
  assign step_end = now_i[31:0] + 32'(head_q[2]);
  assign to_answer_o = head_q[0] == CodeRun && head_q[1][0];
  // UNTIL goes on by steps, the last of which may be shorter.
  assign limit_o = (head_q[0] == CodeRun || to_limit < 32'(head_q[2])) ? limit : step_end;

  // ---------------------------------------------------------------- steps
  logic sent, size_bad;
  logic [7:0] size_end;
  assign sent = valid_o && ready_i;
  assign size_end = 8'(first) + data_i;
  assign size_bad = data_i == '0 || data_i > 8'(Line) - 8'(first);

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
      StCode:
      if (pop) begin
        state_d = (fixed_new == 4'd1) ? StCheck : StFixed;
        if (fixed_new == '0) begin
          why_d   = RefusedCommand;
          state_d = StRefuse;
        end
      end
      StFixed: if (pop && at_q + 4'd1 == fixed) state_d = StCheck;
      StCheck: begin
        address_d = lines_address;
        if (head_q[0] == CodeRead || head_q[0] == CodeWrite) address_d[39:24] = '0;
        left_d = lines_count;
        pos_d = '0;
        end_d = 8'(Line);
        why_d = why;
        out_d = '0;
        out_last_d = 1'b0;
        state_d = StCode;
        if (why != RefusedNot) begin
          state_d = StRefuse;
        end else if (is_op) begin
          if (op == CuOpAtomic) end_d = (func == FuncCas) ? 8'd16 : 8'd8;
          unique case (op)
            CuOpFence: state_d = StInsert;
            CuOpAtomic: state_d = StData;
            default: state_d = masked ? StMask : StSize;
          endcase
        end else begin
          unique case (head_q[0])
            CodeRead: begin
              left_d = 24'(head_q[4]);
              out_d[39:0] = {head_q[4], head_q[3], head_q[2], head_q[1], head_q[0]};
              out_left_d = 4'd5;
              state_d = StSend;
              after_d = StRead;
            end
            CodeWrite: state_d = StWrite;
            CodePeek: begin
              out_d[55:0] = {head_q[6], lines_address, head_q[0]};
              out_left_d = 4'd7;
              state_d = StSend;
              after_d = StPeek;
            end
            CodePoke: state_d = StData;
            CodeFill: state_d = StFill;
            CodeEcho: begin
              left_d = 24'(head_q[1]);
              out_d[15:0] = {head_q[1], head_q[0]};
              out_left_d = 4'd2;
              state_d = StSend;
              after_d = StEcho;
            end
            CodeRun: begin
              start_o = 1'b1;
              until_d = 1'b0;
              state_d = StRun;
            end
            CodeUntil: state_d = StUntil;
            CodeFree: free_o = 1'b1;
            CodeZero: zero_o = 1'b1;
            CodeCancel: begin
              cancel_o = 1'b1;
              out_d[23:0] = {waiting_i, head_q[0]};
              out_left_d = 4'd3;
              out_last_d = 1'b1;
              state_d = StSend;
              after_d = StCode;
            end
            default: ;
          endcase
        end
      end
      StSize:
      if (pop) begin
        pos_d = 8'(first);
        end_d = size_end;
        state_d = (op == CuOpLoad) ? StInsert : StData;
        if (size_bad) begin
          why_d   = RefusedSize;
          state_d = StRefuse;
        end
      end
      StMask:
      if (pop) begin
        pos_d = pos_q + 8'd1;
        if (pos_q + 8'd1 == 8'(Line / 8)) begin
          pos_d   = '0;
          state_d = StData;
        end
      end
      StData:
      if (pop) begin
        pos_d = pos_q + 8'd1;
        if (pos_q + 8'd1 == end_q) state_d = is_op ? StInsert : StPoke;
      end
      StInsert: begin
        if (op_busy_i) begin
          why_d   = RefusedInFlight;
          state_d = StRefuse;
        end else if (op_ready_i) begin
          state_d = StCode;
        end
      end
      StSend:
      if (sent) begin
        out_d = {8'd0, out_q[79:8]};
        out_left_d = out_left_q - 4'd1;
        if (out_left_q == 4'd1) state_d = after_q;
      end
      StRead:
      if (host_ready_i) begin
        out_d = 80'(host_rdata_i);
        out_left_d = 4'd4;
        out_last_d = left_q == 24'd1;
        left_d = left_q - 24'd1;
        address_d = address_q + 40'd4;
        state_d = StSend;
        after_d = (left_q == 24'd1) ? StCode : StRead;
      end
      StWrite: if (host_ready_i) state_d = StCode;
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
      if (host_ready_i) begin
        until_d = 1'b1;
        state_d = StDrain;
        if ((host_rdata_i[7:0] & head_q[1]) != '0) begin
          reason_d = StopFlag;
        end else if (to_limit[31] || to_limit == '0) begin
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
        after_d = StCode;
      end
      StRefuse: begin
        out_d[39:0] = {place_q, head_q[0], why_q, CodeRefused};
        out_left_d = 4'd5;
        out_last_d = 1'b1;
        state_d = StSend;
        after_d = StHalt;
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
    if (state_q inside {StCode, StFixed}) now_q <= now_i[31:0];
    if (state_q == StCode) begin
      head_q[0] <= data_i;
      place_q   <= executed_i;
      at_q      <= 4'd1;
      cut_q     <= 1'b0;
    end else if (state_q == StFixed && pop) begin
      head_q[at_q] <= data_i;
      at_q         <= at_q + 4'd1;
    end
    if (state_q == StEcho && sent && ended_q) cut_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StCode) begin
      line_q <= '0;
      mask_q <= '0;
    end
    if (state_q == StPeeked) line_q <= hmem_rdata_i;
    if (state_q == StData && pop) line_q[8*pos_q[LineBits-1:0]+:8] <= data_i;
    if (state_q == StMask && pop) mask_q[8*pos_q[$clog2(Line/8)-1:0]+:8] <= data_i;
    if (state_q == StSize && pop) begin
      for (int unsigned b = 0; b < Line; b++) mask_q[b] <= b >= 32'(first) && b < 32'(size_end);
    end
  end

  // ---------------------------------------------------------------- outputs
  assign valid_o = state_q inside {StSend, StLine} || (state_q == StEcho && (valid_i || ended_q));
  assign last_o = (state_q == StSend && out_left_q == 4'd1 && out_last_q) ||
      (state_q == StLine && pos_q == 8'(Line - 1) && left_q == '0) || (state_q == StEcho && left_q == 24'd1);
  always_comb begin
    data_o = out_q[7:0];
    if (state_q == StLine) data_o = line_q[8*pos_q[LineBits-1:0]+:8];
    if (state_q == StEcho) data_o = ended_q ? '0 : data_i;
  end

  assign op_valid_o = state_q == StInsert && !op_busy_i;
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
      op_count_o  = end_q - 8'(first);
    end
    if (op == CuOpAtomic) op_count_o = 8'd8;
  end

  assign host_valid_o = state_q inside {StRead, StWrite, StUntil};
  assign host_write_o = state_q == StWrite;
  assign host_address_o = (state_q == StUntil) ? FlagsAddress : address_q[23:0];
  assign host_wdata_o = {head_q[7], head_q[6], head_q[5], head_q[4]};
  assign hmem_en_o = state_q inside {StPeek, StPoke, StFill};
  assign hmem_write_o = state_q != StPeek;
  assign hmem_address_o = address_q;
  assign hmem_wdata_o = (state_q == StFill) ? {Line / 4{head_q[12:9]}} : line_q;
  assign idle_o = state_q inside {StCode, StHalt} && !valid_i;
endmodule
