// SPDX-License-Identifier: Apache-2.0

/// Simulation model of the ECP5's block RAM, which Yosys ships as an empty shell: 2,048 bytes of 9 bits, two
/// ports of 1, 2, 4, 9 or 18 bits; or, with a width of 36, port A writes and port B reads (B's lower half
/// then stands at DOA). Only what synthesis uses: no output register, no chip selects, positive clock edges.
/// What both ports do to one word at a time is as undefined here as in the device.
module DP16KD #(
  parameter int DATA_WIDTH_A = 18,
  parameter int DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG",
  parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC",
  parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000",
  parameter CSDECODE_B = "0b000",
  parameter CLKAMUX = "CLKA",
  parameter CLKBMUX = "CLKB",
  parameter WRITEMODE_A = "NORMAL",
  parameter WRITEMODE_B = "NORMAL",
  parameter logic [319:0] INITVAL_00 = '0,
  parameter logic [319:0] INITVAL_01 = '0,
  parameter logic [319:0] INITVAL_02 = '0,
  parameter logic [319:0] INITVAL_03 = '0,
  parameter logic [319:0] INITVAL_04 = '0,
  parameter logic [319:0] INITVAL_05 = '0,
  parameter logic [319:0] INITVAL_06 = '0,
  parameter logic [319:0] INITVAL_07 = '0,
  parameter logic [319:0] INITVAL_08 = '0,
  parameter logic [319:0] INITVAL_09 = '0,
  parameter logic [319:0] INITVAL_0A = '0,
  parameter logic [319:0] INITVAL_0B = '0,
  parameter logic [319:0] INITVAL_0C = '0,
  parameter logic [319:0] INITVAL_0D = '0,
  parameter logic [319:0] INITVAL_0E = '0,
  parameter logic [319:0] INITVAL_0F = '0,
  parameter logic [319:0] INITVAL_10 = '0,
  parameter logic [319:0] INITVAL_11 = '0,
  parameter logic [319:0] INITVAL_12 = '0,
  parameter logic [319:0] INITVAL_13 = '0,
  parameter logic [319:0] INITVAL_14 = '0,
  parameter logic [319:0] INITVAL_15 = '0,
  parameter logic [319:0] INITVAL_16 = '0,
  parameter logic [319:0] INITVAL_17 = '0,
  parameter logic [319:0] INITVAL_18 = '0,
  parameter logic [319:0] INITVAL_19 = '0,
  parameter logic [319:0] INITVAL_1A = '0,
  parameter logic [319:0] INITVAL_1B = '0,
  parameter logic [319:0] INITVAL_1C = '0,
  parameter logic [319:0] INITVAL_1D = '0,
  parameter logic [319:0] INITVAL_1E = '0,
  parameter logic [319:0] INITVAL_1F = '0,
  parameter logic [319:0] INITVAL_20 = '0,
  parameter logic [319:0] INITVAL_21 = '0,
  parameter logic [319:0] INITVAL_22 = '0,
  parameter logic [319:0] INITVAL_23 = '0,
  parameter logic [319:0] INITVAL_24 = '0,
  parameter logic [319:0] INITVAL_25 = '0,
  parameter logic [319:0] INITVAL_26 = '0,
  parameter logic [319:0] INITVAL_27 = '0,
  parameter logic [319:0] INITVAL_28 = '0,
  parameter logic [319:0] INITVAL_29 = '0,
  parameter logic [319:0] INITVAL_2A = '0,
  parameter logic [319:0] INITVAL_2B = '0,
  parameter logic [319:0] INITVAL_2C = '0,
  parameter logic [319:0] INITVAL_2D = '0,
  parameter logic [319:0] INITVAL_2E = '0,
  parameter logic [319:0] INITVAL_2F = '0,
  parameter logic [319:0] INITVAL_30 = '0,
  parameter logic [319:0] INITVAL_31 = '0,
  parameter logic [319:0] INITVAL_32 = '0,
  parameter logic [319:0] INITVAL_33 = '0,
  parameter logic [319:0] INITVAL_34 = '0,
  parameter logic [319:0] INITVAL_35 = '0,
  parameter logic [319:0] INITVAL_36 = '0,
  parameter logic [319:0] INITVAL_37 = '0,
  parameter logic [319:0] INITVAL_38 = '0,
  parameter logic [319:0] INITVAL_39 = '0,
  parameter logic [319:0] INITVAL_3A = '0,
  parameter logic [319:0] INITVAL_3B = '0,
  parameter logic [319:0] INITVAL_3C = '0,
  parameter logic [319:0] INITVAL_3D = '0,
  parameter logic [319:0] INITVAL_3E = '0,
  parameter logic [319:0] INITVAL_3F = '0,
  parameter GSR = "AUTO"
) (
  // verilog_format: off  (a port per line would be a hundred lines)
  input  logic DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
    DIA3, DIA2, DIA1, DIA0,
  input  logic ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input  logic CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output logic DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4,
    DOA3, DOA2, DOA1, DOA0,
  input  logic DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4,
    DIB3, DIB2, DIB1, DIB0,
  input  logic ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input  logic CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output logic DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4,
    DOB3, DOB2, DOB1, DOB0
  // verilog_format: on
);
  // Word w of 18 bits starts at bit 20 w, as Yosys lays it out.
  // verilog_format: off  (likewise)
  localparam logic [64*320-1:0] Init =
    {INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};
  // verilog_format: on

  // Two clocks write one array: that is what a dual-port RAM is.
  /* verilator lint_off MULTIDRIVEN */
  logic [8:0] store[2048];
  /* verilator lint_on MULTIDRIVEN */
  logic [17:0] out_a;
  logic [35:0] out_b;

  wire [35:0] data_a = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6,
    DIB5, DIB4, DIB3, DIB2,
    DIB1, DIB0,
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
    DIA1, DIA0};
  wire [17:0] data_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6,
    DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1,
    ADA0};
  wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1,
    ADB0};

  initial begin
    for (int w = 0; w < 1024; w++) begin
      store[2*w] = Init[320*(w/16)+20*(w%16)+:9];
      store[2*w+1] = Init[320*(w/16)+20*(w%16)+9+:9];
    end
    out_a = '0;
    out_b = '0;
  end

  // The bytes that a port of this width sees at this address, the lowest in the lowest bits.
  function automatic logic [35:0] seen(int width, logic [13:0] address);
    logic [35:0] word;
    word = '0;
    case (width)
      36: for (int b = 0; b < 4; b++) word[9*b+:9] = store[{address[13:5], 2'(b)}];
      18: for (int b = 0; b < 2; b++) word[9*b+:9] = store[{address[13:4], 1'(b)}];
      9: word[8:0] = store[address[13:3]];
      4: word[3:0] = store[address[13:3]][4*address[2]+:4];
      2: word[1:0] = store[address[13:3]][2*address[2:1]+:2];
      default: word[0] = store[address[13:3]][address[2:0]];
    endcase
    return word;
  endfunction

  // Widths of 18 and 36 have a write enable per byte in the low address bits.
  always @(posedge CLKA) begin
    if (CEA && WEA) begin
      case (DATA_WIDTH_A)
        36: for (int b = 0; b < 4; b++) if (address_a[b]) store[{address_a[13:5], 2'(b)}] <= data_a[9*b+:9];
        18: for (int b = 0; b < 2; b++) if (address_a[b]) store[{address_a[13:4], 1'(b)}] <= data_a[9*b+:9];
        9: store[address_a[13:3]] <= data_a[8:0];
        4: store[address_a[13:3]][4*address_a[2]+:4] <= data_a[3:0];
        2: store[address_a[13:3]][2*address_a[2:1]+:2] <= data_a[1:0];
        default: store[address_a[13:3]][address_a[2:0]] <= data_a[0];
      endcase
    end
    if (RSTA) out_a <= '0;
    else if (CEA && (!WEA || WRITEMODE_A == "READBEFOREWRITE")) out_a <= 18'(seen(DATA_WIDTH_A, address_a));
    else if (CEA && WRITEMODE_A == "WRITETHROUGH") out_a <= data_a[17:0];
  end

  always @(posedge CLKB) begin
    if (CEB && WEB) begin
      case (DATA_WIDTH_B)
        18: for (int b = 0; b < 2; b++) if (address_b[b]) store[{address_b[13:4], 1'(b)}] <= data_b[9*b+:9];
        9: store[address_b[13:3]] <= data_b[8:0];
        4: store[address_b[13:3]][4*address_b[2]+:4] <= data_b[3:0];
        2: store[address_b[13:3]][2*address_b[2:1]+:2] <= data_b[1:0];
        default: store[address_b[13:3]][address_b[2:0]] <= data_b[0];
      endcase
    end
    if (RSTB) out_b <= '0;
    else if (CEB && (!WEB || WRITEMODE_B == "READBEFOREWRITE")) out_b <= seen(DATA_WIDTH_B, address_b);
    else if (CEB && WRITEMODE_B == "WRITETHROUGH") out_b <= 36'(data_b);
  end

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3,
    DOA2, DOA1, DOA0} =
    (DATA_WIDTH_B == 36) ? out_b[17:0] : out_a;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3,
    DOB2, DOB1, DOB0} =
    (DATA_WIDTH_B == 36) ? out_b[35:18] : out_b[17:0];

  if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CLKAMUX != "CLKA" || CLKBMUX != "CLKB") begin : gen_only
    $error("DP16KD: this model has no output registers and no inverted clocks");
  end
endmodule
