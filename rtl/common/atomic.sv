// SPDX-License-Identifier: Apache-2.0

/// What an atomic writes: the new value from the old one, combinational.
///
/// A narrow atomic (4 bytes) uses the low 32 bits of its inputs, and bits 63:32 of its result are zero. An
/// unknown function, which the L1 never lets through, leaves the old value.
module atomic (
  input  weft_pkg::func_e        func_i,
  /// 8 bytes instead of 4.
  input  logic                   wide_i,
  input  logic            [63:0] old_i,
  input  logic            [63:0] operand_i,
  /// What cas compares the old value with.
  input  logic            [63:0] compare_i,
  input  logic            [ 6:0] fault_i,
  output logic            [63:0] new_o
);
  import weft_pkg::*;

  // Narrow values, extended by their sign, compare and add in 64 bits as they would in 32: the unsigned order
  // too, since the extension moves the upper half of the range up as a whole.
  function automatic logic [63:0] extend(logic [63:0] value, logic wide);
    return wide ? value : {{32{value[31]}}, value[31:0]};
  endfunction

  logic [63:0] left, right, expected, result;
  logic signed_order, less;

  assign left     = extend(old_i, wide_i);
  assign right    = extend(operand_i, wide_i);
  assign expected = extend(compare_i, wide_i);

  if (Faults != 0) begin : gen_fault
    assign signed_order = func_i == FuncMax || (func_i == FuncMin && fault_i != FaultAtomicMinUnsigned);
  end else begin : gen_no_fault
    assign signed_order = func_i == FuncMax || func_i == FuncMin;
    logic unused;
    assign unused = ^fault_i;
  end

  // One comparator for both orders: turning the sign bits over makes the signed order an unsigned one.
  assign less = {left[63] ^ signed_order, left[62:0]} < {right[63] ^ signed_order, right[62:0]};

  always_comb begin
    case (func_i)
      FuncAdd:           result = left + right;
      FuncExch:          result = right;
      FuncCas:           result = (left == expected) ? right : left;
      FuncMin, FuncMinu: result = less ? left : right;
      FuncMax, FuncMaxu: result = less ? right : left;
      FuncAnd:           result = left & right;
      FuncOr:            result = left | right;
      FuncXor:           result = left ^ right;
      default:           result = left;
    endcase
  end

  assign new_o = wide_i ? result : {32'b0, result[31:0]};
endmodule
