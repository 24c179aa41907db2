// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a command, by the bytes that all of its kind have (docs/frames.md). Right from the cycle on in which the
/// last of these stands; the others have stood for a cycle then.
module bridge_check
  import weft_pkg::*;
  import host_frame_pkg::*;
(
  input  logic                 clk_i,
  /// Its first byte, and those behind it as far as its kind has them.
  input  logic     [13:0][7:0] head_i,
  output refused_e             why_o
);
  localparam int unsigned LineBits = $clog2(Line);
  localparam int unsigned MemoryLines = 32'(MemoryBytes / Line);

  // An operation.
  logic masked;
  cu_op_e op;
  logic [3:0] node, warp, func;
  logic [2:0] cu, order;
  logic [1:0] scope;
  assign op = cu_op_e'(head_i[0][6:5]);
  assign warp = head_i[0][3:0];
  assign {masked, cu, node} = head_i[1];
  assign {order, scope} = head_i[3][7:3];
  assign func = head_i[4][7:4];

  // Lines of memory.
  logic [39:0] address;
  logic [23:0] count;
  localparam int unsigned RoomBits = $clog2(MemoryLines + 1);
  logic [35:0] line;
  logic [RoomBits-1:0] room_q;
  logic inside_memory, is_fill, outside_q;
  assign is_fill = head_i[0] == CodeFill;
  assign address = {head_i[5], head_i[4], head_i[3], head_i[2], head_i[1]};
  assign count = {is_fill ? {head_i[8], head_i[7]} : 16'd0, head_i[6]};
  assign line = address[35:0] >> LineBits;

  // The count comes last, and is then compared with the lines that there are from the address on.
  always_ff @(posedge clk_i) begin
    room_q <= RoomBits'(36'(MemoryLines) - line);
    outside_q <= 32'(address[39:36]) >= Nodes || line > 36'(MemoryLines) || address[LineBits-1:0] != '0;
  end
  assign inside_memory = !outside_q && (count >> RoomBits) == '0 && RoomBits'(count) <= room_q;

  always_comb begin
    why_o = RefusedNot;
    if (head_i[0][7]) begin
      if (32'(node) >= Nodes - Memories || 32'(cu) >= Cus || 32'(warp) >= Warps ||
          32'(head_i[2]) >= Outstanding)
        why_o = RefusedPort;
      else if ((masked && op != CuOpStore) || head_i[3][1:0] != '0 || order > OrderAcqRel ||
          scope > ScopeSys || func > FuncXor)
        why_o = RefusedField;
    end else begin
      unique case (head_i[0])
        CodeRead: if (head_i[4] == '0 || head_i[4] > 8'd64) why_o = RefusedSize;
        CodePeek, CodePoke, CodeFill:
        if (count == '0 || (!is_fill && count > 24'(512 / Line))) why_o = RefusedSize;
        else if (!inside_memory) why_o = RefusedAddress;
        CodeEcho: if (head_i[1] == '0) why_o = RefusedSize;
        CodeRun: if (head_i[1] > 8'd1) why_o = RefusedField;
        CodeUntil: if (head_i[2] == '0) why_o = RefusedSize;
        default: ;
      endcase
    end
  end

  // What the kinds have beyond this needs no check.
  logic unused;
  assign unused = ^{head_i[13:9], head_i[4][3:0], head_i[3][2]};
endmodule
