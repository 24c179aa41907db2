-- SPDX-License-Identifier: Apache-2.0
-- A dissector for what `weft capture` writes: a pseudo header (docs/capture.md), then a frame as it is on the wire: token,
-- TLP, LCRC (docs/wire.md). For Wireshark and tshark from 4.0 on, with Lua 5.1 to 5.4:
--
--   wireshark -X lua_script:weft.lua FILE.pcapng
--
-- or put it into the folder of personal Lua plugins (Help, About Wireshark, Folders).

local HEAD_VERSION = 1
local HEAD_BYTES = 8
local VENDOR = 0x5745
local CODE = 0x7f -- vendor-defined message, type 1
local PAYLOAD_MAX = 4096
local NODES_MAX = 16
local ADDRESS_TOP = 2 ^ 8 -- the upper word of an address stays below it: 40 bits
local WINDOW = 2 ^ 36 -- bytes of one node's part of the address space
local PREFIX, TIME, MRD, RENEW, MWR, CPLD, MSG = 0x9e, 0x9f, 0x20, 0x61, 0x60, 0x4a, 0x32
local FETCH_ADD, SWAP, CAS, FUNCTION, FINEPACK = 0x6c, 0x6d, 0x6e, 0x68, 0x6f

-- ---------------------------------------------------------------- arithmetic

-- Each version of Lua has another way to it, and none of them parses in all.
local operator = (loadstring or load)("return function(a, b) return a ~ b end")
local bxor = operator and operator() or (bit32 and bit32.bxor) or function(a, b) return bit.bxor(a, b) % 2 ^ 32 end
local floor = math.floor

local function bits(value, low, count) return floor(floor(value / 2 ^ low) % 2 ^ count) end

local function parity(value)
  local odd = 0
  while value > 0 do
    odd = (odd + value) % 2
    value = floor(value / 2)
  end
  return odd
end

local crc_table = {}
for i = 0, 255 do
  local crc = i
  for _ = 1, 8 do
    crc = crc % 2 == 1 and bxor(floor(crc / 2), 0xedb88320) or floor(crc / 2)
  end
  crc_table[i] = crc
end

-- CRC-32 of Ethernet over a raw string.
local function crc32(text)
  local crc = 0xffffffff
  for i = 1, #text do
    crc = bxor(floor(crc / 256), crc_table[bxor(crc % 256, text:byte(i))])
  end
  return bxor(crc, 0xffffffff)
end

-- ---------------------------------------------------------------- fields

local weft = Proto("weft", "Weft link")
local directions = { [0] = "node to switch", [1] = "switch to node" }
local types = {
  [RENEW] = "read that renews a copy, Weft's own type",
  [MRD] = "MRd, 64 bit", [MWR] = "MWr, 64 bit", [FETCH_ADD] = "FetchAdd, 64 bit", [SWAP] = "Swap, 64 bit",
  [CAS] = "CAS, 64 bit", [FUNCTION] = "atomic, Weft's own type", [FINEPACK] = "FinePack packet, Weft's own type",
  [MSG] = "Msg, routed by ID", [CPLD] = "CplD", [PREFIX] = "vendor-defined end-to-end prefix", [TIME] = "prefix with the sender's clock",
}
local functions = {
  [0] = "add", [1] = "exch", [2] = "cas", [3] = "min", [4] = "max", [5] = "minu", [6] = "maxu", [7] = "and",
  [8] = "or", [9] = "xor",
}
local messages = { [0] = "MARKER", [1] = "INV", [2] = "MARK", [3] = "ACK", [4] = "SEEN" }
local classes = {
  READ = "request", WRITE = "request", ATOMIC = "request", MARKER = "request", PACKET = "request", INV = "forward",
  MARK = "forward", LINE = "response", OLD = "response", WROTE = "response", ACK = "response", SEEN = "response",
}
local causes = { [0] = "write", [1] = "directory entry evicted" }

local f = {
  version = ProtoField.uint8("weft.version", "Version of the pseudo header"),
  link = ProtoField.uint8("weft.link", "Link"),
  direction = ProtoField.uint8("weft.direction", "Direction", base.DEC, directions),
  node = ProtoField.uint8("weft.node", "Node at the link"),
  sub_header = ProtoField.uint8("weft.sub_header", "FinePack sub-header bytes"),
  line = ProtoField.uint16("weft.line", "Line bytes"),
  cycle = ProtoField.uint64("weft.cycle", "Cycle"),

  token = ProtoField.uint32("weft.token", "STP token", base.HEX),
  stp = ProtoField.uint32("weft.token.stp", "STP", base.HEX, nil, 0xf0000000),
  words = ProtoField.uint32("weft.token.length", "Words of the frame", base.DEC, nil, 0x0ffe0000),
  parity = ProtoField.uint32("weft.token.parity", "Parity", base.DEC, nil, 0x00010000),
  check = ProtoField.uint32("weft.token.crc", "CRC of the length", base.HEX, nil, 0x0000f000),
  sequence = ProtoField.uint32("weft.sequence", "Sequence number", base.DEC, nil, 0x00000fff),

  prefix = ProtoField.uint32("weft.prefix", "Prefix", base.HEX),
  era = ProtoField.uint32("weft.era", "Era", base.DEC, nil, 0x00030000),
  cts = ProtoField.uint32("weft.cts", "Sender's clock", base.DEC, nil, 0x0000ffff),
  wts = ProtoField.uint16("weft.wts", "Written at", base.DEC),
  rts = ProtoField.uint16("weft.rts", "May be read until", base.DEC),
  header = ProtoField.uint32("weft.tlp", "Fmt, Type, Length", base.HEX),
  fmt = ProtoField.uint32("weft.fmt", "Fmt", base.HEX, nil, 0xe0000000),
  type = ProtoField.uint32("weft.type", "Type", base.HEX, nil, 0x1f000000),
  fmt_type = ProtoField.uint8("weft.fmt_type", "Fmt and Type", base.HEX, types),
  length = ProtoField.uint32("weft.length", "Length, words", base.DEC),
  requester = ProtoField.uint16("weft.requester", "Requester", base.HEX),
  completer = ProtoField.uint16("weft.completer", "Completer", base.HEX),
  tag = ProtoField.uint8("weft.tag", "Tag"),
  last_be = ProtoField.uint8("weft.last_be", "Last byte enables", base.HEX, nil, 0xf0),
  first_be = ProtoField.uint8("weft.first_be", "First byte enables", base.HEX, nil, 0x0f),
  address = ProtoField.uint64("weft.address", "Address", base.HEX),
  status = ProtoField.uint16("weft.status", "Completion status", base.DEC, nil, 0xe000),
  byte_count = ProtoField.uint16("weft.byte_count", "Byte count", base.DEC, nil, 0x0fff),
  data = ProtoField.bytes("weft.data", "Data"),
  compare = ProtoField.bytes("weft.compare", "Compare value"),

  kind = ProtoField.string("weft.kind", "Message"),
  class = ProtoField.string("weft.class", "Class"),
  src = ProtoField.uint8("weft.src", "From node"),
  dst = ProtoField.uint8("weft.dst", "To node"),
  cu = ProtoField.uint8("weft.cu", "CU"),
  bank = ProtoField.uint8("weft.bank", "Bank"),
  func = ProtoField.uint8("weft.function", "Function", base.DEC, functions),
  code = ProtoField.uint8("weft.code", "Message code", base.HEX),
  vendor = ProtoField.uint16("weft.vendor", "Vendor", base.HEX),
  id = ProtoField.uint8("weft.id", "Release"),
  block = ProtoField.bool("weft.block", "Block of four lines"),
  cause = ProtoField.uint8("weft.cause", "Cause", base.DEC, causes),
  seen = ProtoField.bool("weft.seen", "Also seen"),
  stamp = ProtoField.uint16("weft.stamp", "Stamp"),
  releaser = ProtoField.uint8("weft.releaser", "Releaser"),
  count = ProtoField.uint8("weft.count", "Nodes acknowledged"),

  payload = ProtoField.uint16("weft.finepack.payload", "Payload bytes"),
  subs = ProtoField.uint16("weft.finepack.count", "Sub-transactions"),
  sub = ProtoField.none("weft.finepack.sub", "Sub-transaction"),
  sub_offset = ProtoField.uint64("weft.finepack.offset", "Offset", base.HEX),
  sub_length = ProtoField.uint16("weft.finepack.length", "Length"),
  sub_address = ProtoField.uint64("weft.finepack.address", "Address", base.HEX),
  sub_data = ProtoField.bytes("weft.finepack.data", "Data"),
  padding = ProtoField.bytes("weft.padding", "Padding"),

  lcrc = ProtoField.uint32("weft.lcrc", "LCRC", base.HEX),
  lcrc_good = ProtoField.bool("weft.lcrc.good", "LCRC is right"),
}
weft.fields = f

local e = {
  head = ProtoExpert.new("weft.bad_head", "Pseudo header is not understood", expert.group.UNDECODED, expert.severity.ERROR),
  token = ProtoExpert.new("weft.bad_token", "Bad token", expert.group.MALFORMED, expert.severity.ERROR),
  tlp = ProtoExpert.new("weft.malformed", "Malformed packet", expert.group.MALFORMED, expert.severity.ERROR),
  lcrc = ProtoExpert.new("weft.bad_lcrc", "Bad LCRC", expert.group.CHECKSUM, expert.severity.ERROR),
}
weft.experts = e

-- ---------------------------------------------------------------- a packet under dissection

-- What the parts below share: the bytes, where the header stands, what is known of the message.
local Packet = {}
Packet.__index = Packet

function Packet:range(word, count) return self.tvb(self.at + 4 * word, 4 * (count or 1)) end

function Packet:word(index) return self:range(index):uint() end

-- A field that the packet implies rather than spells out.
function Packet:note(field, value, tree) (tree or self.tree):add(field, value):set_generated() end

-- Only the first reason: what follows from it says nothing new.
function Packet:malformed(text)
  if not self.reason then self.tree:add_proto_expert_info(e.tlp, text) end
  self.reason = self.reason or text
end

-- The number of payload words that the header says; the frame must hold just these.
function Packet:expect_payload(header, words)
  if self.words ~= header + words then
    self:malformed(string.format("Length says %d words of payload, the frame has %d", words, self.words - header))
    return false
  end
  return true
end

function Packet:nodes(src, dst)
  self.src, self.dst = src, dst
  if src >= NODES_MAX or dst >= NODES_MAX then self:malformed("no such node") end
end

function Packet:length()
  local length = bits(self:word(0), 0, 10)
  return length == 0 and 1024 or length
end

local function hex(high, low) return string.format("0x%02x%08x", high, low) end

-- The words that requests with an address have in common.
function Packet:request()
  local ids, high, low = self:word(1), self:word(2), self:word(3)
  local item = self.tree:add(f.requester, self.tvb(self.at + 4, 2))
  item:add(f.cu, self.tvb(self.at + 5, 1), bits(ids, 16, 3))
  self.tree:add(f.tag, self.tvb(self.at + 6, 1))
  self.tree:add(f.last_be, self.tvb(self.at + 7, 1))
  self.tree:add(f.first_be, self.tvb(self.at + 7, 1))
  self.tree:add(f.address, self:range(2, 2))
  self:nodes(bits(ids, 24, 8), bits(ids, 20, 4))
  self.last_be, self.first_be = bits(ids, 4, 4), bits(ids, 0, 4)
  self.high, self.low = high, low
  self.where = hex(high, low)
  if high >= ADDRESS_TOP then self:malformed("an address above 40 bits") end
  if low % 4 ~= 0 then self:malformed("an address that is not one of a word") end
end

-- ---------------------------------------------------------------- messages with an address

local function read(p)
  p:request()
  if p:length() ~= p.line / 4 then p:malformed("a read of something else than a line") end
  if p.low % p.line ~= 0 then p:malformed("a read that does not begin with its line") end
  if p.last_be ~= 15 or p.first_be ~= 15 then p:malformed("a read of parts of words") end
  p:expect_payload(4, 0)
  return "READ", p.where
end

-- Under leases: whether a copy, which was written at this time, is still what memory has.
local function renewal(p)
  p:request()
  if p.low % p.line ~= 0 then p:malformed("a read that does not begin with its line") end
  if p:length() ~= 1 or p.last_be ~= 0 or p.first_be ~= 15 then p:malformed("a renewal with something else than a time") end
  if not p.timed then p:malformed("a renewal without its sender's clock") end
  if p:expect_payload(4, 1) then
    if p:word(4) > 0xffff then p:malformed("a time of more than 16 bits") end
    p.tree:add(f.stamp, p.tvb(p.at + 18, 2))
  end
  return "READ", p.where
end

-- Enabled bytes are one run: where it begins in the first word, and what it leaves of the last.
local function run(p, length)
  local first, last = p.first_be, p.last_be
  local begins = { [15] = 0, [14] = 1, [12] = 2, [8] = 3 }
  local ends = { [15] = 0, [7] = 1, [3] = 2, [1] = 3 }
  if length > 1 then return begins[first], ends[last] end
  local before, after, rest = 0, 0, first
  if last ~= 0 or first == 0 then return nil end
  while rest % 2 == 0 do before, rest = before + 1, rest / 2 end
  while first < 8 do after, first = after + 1, first * 2 end
  return before, rest == 2 ^ (4 - before - after) - 1 and after or nil
end

local function write(p)
  p:request()
  local length = p:length()
  local before, after = run(p, length)
  if not p:expect_payload(4, length) then return "WRITE", p.where end
  if not before or not after then
    p:malformed("byte enables with holes")
    return "WRITE", p.where
  end
  if p.low % p.line + 4 * length > p.line then p:malformed("a write across a line") end
  local bytes = 4 * length - before - after
  p.tree:add(f.data, p.tvb(p.at + 16 + before, bytes))
  return "WRITE", string.format("%s, %d byte%s", hex(p.high, p.low + before), bytes, bytes > 1 and "s" or "")
end

local function atomic(p)
  p:request()
  local func = ({ [FETCH_ADD] = 0, [SWAP] = 1, [CAS] = 2 })[p.fmt_type] or p.last_be
  local length, operands = p:length(), func == 2 and 2 or 1
  p:note(f.func, func)
  if p.fmt_type == FUNCTION and (func <= 2 or func > 9) then p:malformed("an unknown function") end
  if length ~= operands and length ~= 2 * operands then p:malformed("operands of another width than 4 or 8 bytes") end
  if p.low % (4 * length / operands) ~= 0 then p:malformed("an address that is not aligned to its operand") end
  if p:expect_payload(4, length) then
    if operands == 2 then p.tree:add(f.compare, p:range(4, length / 2)) end
    p.tree:add(f.data, p:range(4 + length - length / operands, length / operands))
  end
  return "ATOMIC", string.format("%s %s", functions[func] or "?", p.where)
end

-- ---------------------------------------------------------------- FinePack

-- One {offset, length, data} that begins at payload byte `at`; returns where the next one does, or nil.
local function sub_transaction(p, base_at, payload, at, number)
  local size = p.sub_header
  if at + size > payload then
    p:malformed(string.format("sub-header %d is cut short", number))
    return nil
  end
  local value = 0
  for i = size - 1, 0, -1 do value = value * 256 + p.tvb(base_at + at + i, 1):uint() end
  local length, offset = value % 1024, floor(value / 1024)
  local inside = math.min(length, payload - at - size)
  local tree = p.tree:add(f.sub, p.tvb(base_at + at, size + inside))
  local low = p.low + offset % 2 ^ 32
  local high = p.high + floor(offset / 2 ^ 32) + floor(low / 2 ^ 32)
  tree:set_text(string.format("Sub-transaction %d: %s, %d bytes", number, hex(high, low % 2 ^ 32), length))
  tree:add(f.sub_offset, p.tvb(base_at + at, size), UInt64.new(offset % 2 ^ 32, floor(offset / 2 ^ 32)))
  tree:add(f.sub_length, p.tvb(base_at + at, 2), length)
  p:note(f.sub_address, UInt64.new(low % 2 ^ 32, high % 2 ^ 32), tree)
  if inside > 0 then tree:add(f.sub_data, p.tvb(base_at + at + size, inside)) end
  if length == 0 then
    p:malformed(string.format("sub-transaction %d has no bytes", number))
  elseif inside < length then
    p:malformed(string.format("sub-transaction %d is longer than the payload", number))
  elseif offset + length > math.min(2 ^ (8 * size - 10), WINDOW) then
    p:malformed(string.format("sub-transaction %d lies outside the range", number))
  else
    return at + size + length
  end
  return nil
end

local function packet(p)
  p:request()
  local length, low2 = p:length(), p.last_be
  if p.prefixed then
    local last = length == 1 and p.first_be or p.last_be
    low2 = ({ [15] = 0, [1] = 1, [3] = 2, [7] = 3 })[last]
    if not low2 or (length > 1 and p.first_be ~= 15) or (length == 1 and p.last_be ~= 0) then
      p:malformed("byte enables that are no packet's")
    end
  elseif p.last_be > 3 or p.first_be ~= 0 then
    p:malformed("byte enables that are no packet's")
  end
  low2 = (low2 or 0) % 4
  local payload = 4 * (length - 1) + (low2 == 0 and 4 or low2)
  p:note(f.payload, payload)
  if payload > PAYLOAD_MAX or not p:expect_payload(4, length) then return "PACKET", p.where end
  local at, count = 0, 0
  while at and at < payload do
    at = sub_transaction(p, p.at + 16, payload, at, count)
    count = count + 1
  end
  p:note(f.subs, count)
  if payload % 4 ~= 0 then p.tree:add(f.padding, p.tvb(p.at + 16 + payload, 4 - payload % 4)) end
  return "PACKET", string.format("%s, %d sub-transactions, %d bytes", p.where, count, payload)
end

-- ---------------------------------------------------------------- messages without data, completions

local function message(p)
  local first, second, last = p:word(1), p:word(2), p:word(3)
  local kind, bank, flag = bits(first, 21, 3), bits(first, 16, 3), bits(first, 20, 1)
  local tree, at = p.tree, p.at
  tree:add(f.code, p.tvb(at + 7, 1))
  tree:add(f.vendor, p.tvb(at + 10, 2))
  if bits(first, 0, 8) ~= CODE then p:malformed("an unknown message code") end
  if bits(second, 0, 16) ~= VENDOR then p:malformed("another vendor's message") end
  p:nodes(bits(first, 24, 8), bits(second, 24, 8))
  p:expect_payload(4, 0)
  local name = messages[kind]
  if not name then
    p:malformed("an unknown message")
    return nil
  end
  if name ~= "INV" then tree:add(f.bank, p.tvb(at + 5, 1), bank) end
  if name == "INV" then
    -- The home in the address's top bits is who sends it.
    local high, low = p.src % 16 * 16 + floor(last / 2 ^ 28), last % 2 ^ 28 * 16
    tree:add(f.block, p.tvb(at + 5, 1), flag == 1)
    tree:add(f.cause, p.tvb(at + 5, 1), bits(first, 19, 1))
    tree:add(f.stamp, p.tvb(at + 6, 4), bits(first, 8, 8) * 256 + bits(second, 16, 8))
    tree:add(f.address, p:range(3), UInt64.new(low, high))
    return name, hex(high, low) .. (flag == 1 and ", a block" or "")
  end
  if name ~= "SEEN" then tree:add(f.id, p.tvb(at + 6, 1), bits(first, 8, 6)) end
  if name == "MARK" then tree:add(f.releaser, p.tvb(at + 9, 1), bits(second, 16, 4)) end
  if name == "ACK" then
    tree:add(f.count, p.tvb(at + 9, 1), bits(second, 16, 4))
    tree:add(f.seen, p.tvb(at + 5, 1), flag == 1)
  end
  if name ~= "MARKER" then tree:add(f.stamp, p.tvb(at + 14, 2)) end
  return name, "bank " .. bank
end

-- Under leases: a word of stamps; in the answer of a store another one may follow, with when its line had been written before.
local function stamps_of(p)
  p.tree:add(f.wts, p.tvb(p.at + 12, 2))
  p.tree:add(f.rts, p.tvb(p.at + 14, 2))
end

local function wrote(p, length, stamps)
  if stamps == 0 or length > 2 then p:malformed("neither one nor two words of stamps") end
  if p:expect_payload(3, length) and length > 0 then
    stamps_of(p)
    if length == 2 then p.tree:add(f.stamp, p.tvb(p.at + 18, 2)) end
  end
end

local function completion(p)
  local length, ids = p:length(), p:word(2)
  local completer = p.tree:add(f.completer, p.tvb(p.at + 4, 2))
  completer:add(f.bank, p.tvb(p.at + 5, 1), bits(p:word(1), 16, 3))
  p.tree:add(f.status, p.tvb(p.at + 6, 2))
  p.tree:add(f.byte_count, p.tvb(p.at + 6, 2))
  local requester = p.tree:add(f.requester, p.tvb(p.at + 8, 2))
  requester:add(f.cu, p.tvb(p.at + 9, 1), bits(ids, 16, 3))
  p.tree:add(f.tag, p.tvb(p.at + 10, 1))
  p:nodes(bits(p:word(1), 24, 8), bits(ids, 24, 8))
  local tag = string.format("tag %d", bits(ids, 8, 8))
  local stamps = bits(p:word(1), 19, 1)
  local answer = length - stamps
  local whole = answer == p.line / 4
  if bits(p:word(1), 13, 3) ~= 0 then p:malformed("a completion that tells of a failure") end
  if bits(p:word(1), 0, 12) ~= 4 * length then p:malformed("byte count and Length differ") end
  if bits(p:word(1), 20, 1) == 1 then
    wrote(p, length, stamps)
    return "WROTE", tag
  end
  if not whole and (answer > 2 or answer < 1) then p:malformed("neither a line nor an atomic's old value") end
  if p:expect_payload(3, length) and answer > 0 then
    if stamps == 1 then
      stamps_of(p)
      if p:word(3) == 0 then p:malformed("stamps that say nothing") end
    end
    p.tree:add(f.data, p:range(3 + stamps, answer))
  end
  return whole and "LINE" or "OLD", tag
end

local by_type = {
  [MRD] = read, [RENEW] = renewal, [MWR] = write, [FETCH_ADD] = atomic, [SWAP] = atomic, [CAS] = atomic, [FUNCTION] = atomic,
  [FINEPACK] = packet, [MSG] = message, [CPLD] = completion,
}

-- ---------------------------------------------------------------- the layers

local function pseudo_header(tvb, pinfo, tree)
  local head = tree:add(weft, tvb(0, HEAD_BYTES), "Weft capture")
  for i, field in ipairs({ f.version, f.link, f.direction, f.node, f.sub_header }) do head:add(field, tvb(i - 1, 1)) end
  head:add(f.line, tvb(6, 2))
  local cycle = floor(pinfo.abs_ts * 1e9 + 0.5) -- a cycle is written as a nanosecond
  head:add(f.cycle, UInt64.new(cycle % 2 ^ 32, floor(cycle / 2 ^ 32))):set_generated()
  local size, line = tvb(4, 1):uint(), tvb(6, 2):uint()
  if tvb(0, 1):uint() ~= HEAD_VERSION or size < 2 or size > 6 or line < 4 or line % 4 ~= 0 then
    head:add_proto_expert_info(e.head)
    return nil
  end
  return size, line
end

-- The check bits of a length, as the PCIe specification lists their terms.
local check_terms = { { 10, 7, 6, 4, 2, 1, 0 }, { 10, 9, 7, 5, 4, 3, 2 }, { 9, 8, 6, 4, 3, 2, 1 }, { 8, 7, 5, 3, 2, 1, 0 } }

local function length_check(length)
  local check = 0
  for i, terms in ipairs(check_terms) do
    local odd = 0
    for _, term in ipairs(terms) do odd = odd + bits(length, term, 1) end
    check = check + odd % 2 * 2 ^ (i - 1)
  end
  return check
end

local function token(tvb, tree, words)
  local range = tvb(HEAD_BYTES, 4)
  local value = range:uint()
  local item = tree:add(f.token, range)
  for _, field in ipairs({ f.stp, f.words, f.parity, f.check, f.sequence }) do item:add(field, range) end
  local length, check = bits(value, 17, 11), bits(value, 12, 4)
  local function bad(text) item:add_proto_expert_info(e.token, text) end
  if bits(value, 28, 4) ~= 15 then bad("the token does not begin with 1111") end
  if check ~= length_check(length) then bad("the CRC of the length is wrong") end
  if parity(length) ~= (parity(check) + bits(value, 16, 1)) % 2 then bad("the parity is wrong") end
  if length ~= words then bad(string.format("the frame should have %d words and has %d", length, words)) end
end

local function lcrc(tvb, tree, words)
  local range = tvb(HEAD_BYTES + 4 * (words - 1), 4)
  local wanted = crc32(tvb:raw(HEAD_BYTES, 4 * (words - 1)))
  local item, good = tree:add(f.lcrc, range), wanted == range:uint()
  item:add(f.lcrc_good, range, good):set_generated()
  item:append_text(good and " [right]" or string.format(" [wrong, should be 0x%08x]", wanted))
  if not good then item:add_proto_expert_info(e.lcrc) end
  return good
end

local function tlp(p, tree)
  local first = p:word(0)
  if bits(first, 24, 8) == PREFIX then
    tree:add(f.prefix, p:range(0)):add(f.vendor, p.tvb(p.at + 2, 2))
    if bits(first, 0, 16) ~= VENDOR then p:malformed("another vendor's prefix") end
    p.prefixed, p.at, p.words = true, p.at + 4, p.words - 1
  end
  if bits(first, 24, 8) == TIME then
    local item = tree:add(f.prefix, p:range(0))
    item:add(f.era, p:range(0))
    item:add(f.cts, p:range(0))
    if bits(first, 0, 16) == 0 then p:malformed("a clock that says nothing") end
    p.timed, p.at, p.words = true, p.at + 4, p.words - 1
  end
  p.fmt_type = p.words > 0 and bits(p:word(0), 24, 8) or nil
  local dissect = by_type[p.fmt_type]
  if p.prefixed then dissect = p.fmt_type == MWR and packet or nil end
  if p.timed and dissect ~= read and dissect ~= renewal and dissect ~= write and dissect ~= atomic then dissect = nil end
  if p.words < (p.fmt_type == CPLD and 3 or 4) or not dissect then
    p:malformed(dissect and "a header that is cut short" or "Fmt and Type that no packet of ours has")
    return nil
  end
  local item = tree:add(f.header, p:range(0))
  item:add(f.fmt, p:range(0))
  item:add(f.type, p:range(0))
  item:add(f.fmt_type, p.tvb(p.at, 1))
  item:add(f.length, p:range(0), p.fmt_type == MSG and bits(p:word(0), 0, 10) or p:length())
  return dissect(p)
end

function weft.dissector(tvb, pinfo, tree)
  pinfo.cols.protocol = "WEFT"
  local bytes = tvb:captured_len()
  if bytes < HEAD_BYTES + 12 or bytes % 4 ~= 0 or bytes < tvb:reported_len() then
    tree:add(weft, tvb()):add_proto_expert_info(e.tlp, "no whole frame")
    pinfo.cols.info = "no whole frame"
    return bytes
  end
  local sub_header, line = pseudo_header(tvb, pinfo, tree)
  if not sub_header then return HEAD_BYTES end
  local words = (bytes - HEAD_BYTES) / 4
  local frame = tree:add(weft, tvb(HEAD_BYTES), "Weft frame")
  token(tvb, frame, words)
  local p = setmetatable({ tvb = tvb, tree = frame, at = HEAD_BYTES + 4, words = words - 2, line = line,
                           sub_header = sub_header }, Packet)
  local kind, text = tlp(p, frame)
  if kind then
    p:note(f.kind, kind)
    p:note(f.class, classes[kind])
    frame:append_text(", " .. kind)
  end
  if p.src then
    p:note(f.src, p.src)
    p:note(f.dst, p.dst)
    pinfo.cols.src, pinfo.cols.dst = "node" .. p.src, "node" .. p.dst
  end
  local good = lcrc(tvb, frame, words)
  pinfo.cols.info = (kind or "unknown") .. (text and " " .. text or "") .. (p.reason and " [malformed: " .. p.reason .. "]" or "")
    .. (good and "" or " [bad LCRC]")
  return bytes
end

DissectorTable.get("wtap_encap"):add(wtap_encaps.USER0, weft)
