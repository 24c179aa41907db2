/* SPDX-License-Identifier: Apache-2.0 */
/* Words to messages. Bits that PCIe or docs/wire.md reserve are not looked at; all else must be what a sender of ours
 * can have written, or the packet is refused. */
#include "tlp_parts.h"

/* ---------------------------------------------------------------- words */

static unsigned length_of(uint32_t word)
{
  unsigned length = word & WEFT_TLP_LENGTH;
  return length ? length : WEFT_TLP_LENGTH + 1U;
}

static void get_bytes(uint8_t *data, const uint32_t *words, unsigned count)
{
  for (unsigned i = 0; i < 4U * count; i++)
    data[i] = (uint8_t)(words[i / 4U] >> (24U - 8U * (i & 3U)));
}

static void set_run(uint64_t mask[2], unsigned first, unsigned end)
{
  for (unsigned i = 0; i < 2; i++) {
    unsigned low = 64U * i;
    uint64_t below_end = end > low ? weft_ones(end - low) : 0;
    uint64_t below_first = first > low ? weft_ones(first - low) : 0;
    mask[i] = below_end & ~below_first;
  }
}

/* ---------------------------------------------------------------- requests */

static bool get_request(struct weft_req *m, const uint32_t *words)
{
  m->src = words[1] >> 24 & 15U;
  m->dst = words[1] >> 20 & 15U;
  m->cu = words[1] >> 16 & 7U;
  m->id = words[1] >> 8 & 63U;
  m->address = ((uint64_t)words[2] << 32 | words[3]) & weft_ones(40);
  return words[1] >> 28 == 0 && words[2] >> 8 == 0 && (words[3] & 3U) == 0;
}

static bool get_read(struct weft_tlp *t, const uint32_t *words, unsigned count, unsigned line)
{
  struct weft_req *m = &t->req;
  m->kind = WEFT_REQ_KIND_READ;
  m->wide = words[1] >> 15 & 1U;
  return get_request(m, words) && count == 4 && length_of(words[0]) == line / 4U &&
         (words[1] & 0xffU) == 0xffU && m->address % line == 0;
}

/* Whose sender has a copy, and a clock that has passed it. */
static bool get_renewal(struct weft_tlp *t, const uint32_t *words, unsigned count, unsigned line)
{
  struct weft_req *m = &t->req;
  m->kind = WEFT_REQ_KIND_READ;
  m->func = 1;
  m->mask[0] = count == 5 ? words[4] : 0;
  t->payload = 4;
  return get_request(m, words) && count == 5 && length_of(words[0]) == 1 && m->mask[0] <= UINT16_MAX &&
         (words[1] & 0x80ffU) == 0x0fU && m->address % line == 0;
}

/* Bytes before the run in its first word and after it in its last; false if the enables have no such run. */
static bool edges(unsigned enables, unsigned length, unsigned *before, unsigned *after)
{
  unsigned first = enables & 15U, last = enables >> 4;
  if (length == 1) {
    if (last != 0 || first == 0)
      return false;
    last = first;
  }
  if (first == 0 || last == 0)
    return false;
  *before = weft_lowest(first);
  *after = 3U - (31U - (unsigned)__builtin_clz(last));
  unsigned from = (15U << *before) & 15U, to = 15U >> *after;
  return length == 1 ? first == (from & to) : first == from && last == to;
}

static bool get_write(struct weft_tlp *t, const uint32_t *words, unsigned count, unsigned line)
{
  struct weft_req *m = &t->req;
  unsigned length = length_of(words[0]), before, after;
  m->kind = WEFT_REQ_KIND_WRITE;
  m->func = words[1] >> 15 & 1U;
  if (!get_request(m, words) || count != 4U + length || length > line / 4U ||
      !edges(words[1] & 0xffU, length, &before, &after))
    return false;
  unsigned at = (unsigned)m->address & (line - 1U);
  if (at / 4U + length > line / 4U)
    return false;
  m->address -= at;
  set_run(m->mask, at + before, at + 4U * length - after);
  get_bytes(m->data + at, words + 4, length);
  t->payload = 4U * length;
  return true;
}

static bool get_atomic(struct weft_tlp *t, const uint32_t *words, unsigned count)
{
  struct weft_req *m = &t->req;
  unsigned length = length_of(words[0]), type = words[0] >> 24, last = words[1] >> 4 & 15U;
  m->kind = WEFT_REQ_KIND_ATOMIC;
  m->func = type == WEFT_TLP_FETCH_ADD ? WEFT_FUNC_ADD
            : type == WEFT_TLP_SWAP    ? WEFT_FUNC_EXCH
            : type == WEFT_TLP_CAS     ? WEFT_FUNC_CAS
                                       : (uint8_t)last;
  unsigned operands = m->func == WEFT_FUNC_CAS ? 2 : 1;
  if (!get_request(m, words) || count != 4U + length || (length != operands && length != 2U * operands))
    return false;
  if (type == WEFT_TLP_FUNCTION && (last <= WEFT_FUNC_CAS || last > WEFT_FUNC_XOR))
    return false;
  m->wide = length != operands;
  if (operands == 2)
    get_bytes(m->data + 8, words + 4, length / 2U);
  get_bytes(m->data, words + 4 + length - length / operands, length / operands);
  t->payload = 4U * length;
  return m->address % (m->wide ? 8U : 4U) == 0;
}

static bool get_packet(struct weft_tlp *t, const uint32_t *words, unsigned count)
{
  struct weft_req *m = &t->req;
  m->kind = WEFT_REQ_KIND_PACKET;
  m->wide = words[0] >> 24 == WEFT_TLP_PREFIX;
  if (m->wide && (count < 6 || (words[0] & 0xffffU) != WEFT_TLP_VENDOR || words[1] >> 24 != WEFT_TLP_MWR))
    return false;
  const uint32_t *header = words + m->wide;
  unsigned length = length_of(header[0]), enables = header[1] & 0xffU;
  unsigned low = m->wide ? (unsigned)__builtin_popcount(length == 1 ? enables & 15U : enables >> 4) & 3U
                         : enables >> 4 & 3U;
  t->header = 4U + m->wide;
  t->payload = 4U * (length - 1U) + (low ? low : 4U);
  m->data[0] = (uint8_t)t->payload;
  m->data[1] = (uint8_t)(t->payload >> 8);
  if (m->wide ? enables != weft_tlp_packet_enables(t->payload) : (enables & 0xcfU) != 0)
    return false;
  return get_request(m, header) && count == t->header + length;
}

/* ---------------------------------------------------------------- messages and completions */

static void get_response(struct weft_tlp *t, uint8_t kind, unsigned src, unsigned dst, unsigned bank)
{
  t->class = WEFT_LINK_RESPONSE;
  t->rsp.kind = kind;
  t->rsp.src = (uint8_t)src;
  t->rsp.dst = (uint8_t)dst;
  t->rsp.bank = (uint8_t)bank;
}

static bool get_message(struct weft_tlp *t, const uint32_t *words, unsigned count)
{
  unsigned src = words[1] >> 24, dst = words[2] >> 24, kind = words[1] >> 21 & 7U, bank = words[1] >> 16 & 7U;
  unsigned high = words[1] >> 8 & 0xffU, low = words[2] >> 16 & 0xffU;
  uint64_t page = (uint64_t)bank << WEFT_PAGE_SHIFT;
  bool flag = words[1] >> 20 & 1U;
  if (count != 4 || src > 15 || dst > 15 || (words[1] & 0xffU) != WEFT_TLP_CODE ||
      (words[2] & 0xffffU) != WEFT_TLP_VENDOR || kind >= WEFT_TLP_MESSAGES)
    return false;
  struct weft_fwd forward = { .src = (uint8_t)src, .dst = (uint8_t)dst };
  switch ((enum weft_tlp_message)kind) {
  case WEFT_TLP_MARKER:
    t->req.kind = WEFT_REQ_KIND_MARKER;
    t->req.src = (uint8_t)src;
    t->req.dst = (uint8_t)dst;
    t->req.id = high & 63U;
    t->req.address = (uint64_t)dst << WEFT_HOME_SHIFT | page;
    break;
  case WEFT_TLP_INV:
    t->class = WEFT_LINK_FORWARD;
    forward.kind = WEFT_FWD_KIND_INV;
    forward.block = flag;
    forward.cause = words[1] >> 19 & 1U;
    forward.stamp = (uint16_t)(high << 8 | low);
    forward.address = (uint64_t)src << WEFT_HOME_SHIFT | (uint64_t)words[3] << 4;
    break;
  case WEFT_TLP_MARK:
    t->class = WEFT_LINK_FORWARD;
    forward.kind = WEFT_FWD_KIND_MARK;
    forward.releaser = low & 15U;
    forward.id = high & 63U;
    forward.stamp = (uint16_t)words[3];
    forward.address = (uint64_t)src << WEFT_HOME_SHIFT | page;
    break;
  case WEFT_TLP_ACK:
    get_response(t, WEFT_RSP_KIND_ACK, src, dst, bank);
    t->rsp.id = high & 63U;
    t->rsp.count = low & 15U;
    t->rsp.seen = flag;
    t->rsp.stamp = (uint16_t)words[3];
    break;
  default:
    get_response(t, WEFT_RSP_KIND_SEEN, src, dst, bank);
    t->rsp.stamp = (uint16_t)words[3];
    break;
  }
  t->fwd = forward;
  return true;
}

/* What answers a load, an atomic: `words` are its data. */
static bool get_data(struct weft_tlp *t, const uint32_t *words, unsigned length, unsigned line)
{
  bool whole = length == line / 4U;
  t->rsp.kind = whole ? WEFT_RSP_KIND_LINE : WEFT_RSP_KIND_ATOMIC;
  t->rsp.wide = length == 2;
  if (length == 0 || (!whole && length > 2))
    return false;
  get_bytes(t->rsp.data, words, length);
  return true;
}

static bool get_wrote(struct weft_tlp *t, const uint32_t *words, unsigned length, unsigned stamps)
{
  t->rsp.kind = WEFT_RSP_KIND_WROTE;
  t->rsp.wide = length == 0;
  t->rsp.stamp = length == 1 ? (uint16_t)words[0] : 0;
  return stamps && length <= 1;
}

static bool get_completion(struct weft_tlp *t, const uint32_t *words, unsigned count, unsigned line)
{
  unsigned stamps = (words[1] & WEFT_TLP_STAMPED) != 0, length = length_of(words[0]);
  bool wrote = words[1] & WEFT_TLP_WROTE;
  if (count != 3U + length || (words[1] & 0xefffU) != 4U * length || words[1] >> 28 || words[2] >> 28)
    return false;
  get_response(t, WEFT_RSP_KIND_LINE, words[1] >> 24, words[2] >> 24, words[1] >> 16 & 7U);
  t->rsp.cu = words[2] >> 16 & 7U;
  t->rsp.id = words[2] >> 8 & 63U;
  t->rsp.wts = stamps ? (uint16_t)(words[3] >> 16) : 0;
  t->rsp.rts = stamps ? (uint16_t)words[3] : 0;
  t->header = 3;
  t->payload = 4U * length;
  if (wrote)
    return get_wrote(t, words + 3 + stamps, length - stamps, stamps);
  return (!stamps || words[3] != 0) && get_data(t, words + 3 + stamps, length - stamps, line);
}

static bool decode(const uint32_t *words, unsigned count, unsigned line, struct weft_tlp *t)
{
  if (count < 4 || count > WEFT_TLP_WORDS_MAX)
    return false;
  switch ((enum weft_tlp_type)(words[0] >> 24)) {
  case WEFT_TLP_MRD:
    return get_read(t, words, count, line);
  case WEFT_TLP_RENEW:
    return get_renewal(t, words, count, line);
  case WEFT_TLP_MWR:
    return get_write(t, words, count, line);
  case WEFT_TLP_FETCH_ADD:
  case WEFT_TLP_SWAP:
  case WEFT_TLP_CAS:
  case WEFT_TLP_FUNCTION:
    return get_atomic(t, words, count);
  case WEFT_TLP_FINEPACK:
  case WEFT_TLP_PREFIX:
    return get_packet(t, words, count);
  case WEFT_TLP_MSG:
    return get_message(t, words, count);
  case WEFT_TLP_CPLD:
    return get_completion(t, words, count, line);
  default:
    return false;
  }
}

bool weft_tlp_decode(const uint32_t *words, unsigned count, unsigned line, struct weft_tlp *t)
{
  bool timed = count > 0 && words[0] >> 24 == WEFT_TLP_TIME;
  memset(t, 0, sizeof *t);
  t->class = WEFT_LINK_REQUEST;
  t->header = 4;
  if (!timed)
    return decode(words, count, line, t) && !weft_req_renews(&t->req);
  if (!decode(words + 1, count - 1U, line, t) || t->class != WEFT_LINK_REQUEST ||
      t->req.kind > WEFT_REQ_KIND_ATOMIC)
    return false;
  t->header++;
  t->req.era = words[0] >> 16 & 3U;
  t->req.cts = (uint16_t)words[0];
  return t->req.cts != 0;
}

bool weft_tlp_chunk(const struct weft_tlp *packet, const uint32_t *words, unsigned index, unsigned line,
                    struct weft_req *out)
{
  unsigned from = index * line;
  if (from >= packet->payload)
    return false;
  unsigned bytes = packet->payload - from < line ? packet->payload - from : line;
  memset(out, 0, sizeof *out);
  out->kind = WEFT_REQ_KIND_CHUNK;
  out->src = packet->req.src;
  out->dst = packet->req.dst;
  out->id = from + bytes == packet->payload;
  set_run(out->mask, 0, bytes);
  get_bytes(out->data, words + packet->header + from / 4U, (bytes + 3U) / 4U);
  return true;
}
