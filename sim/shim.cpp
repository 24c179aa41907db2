// SPDX-License-Identifier: Apache-2.0
// The only C++ of the project: Verilator's classes behind the C functions of shim.h.
#include "shim.h"

#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "Vsim_top.h"
#include "verilated.h"
#if VM_COVERAGE
#include <atomic>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include <csetjmp>
#include <iostream>

#include "verilated_fst_c.h"
#endif

struct weft_shim {
  VerilatedContext context;
  std::unique_ptr<Vsim_top> top;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> wave;
#endif
  uint64_t cycle, from, to;
  bool begun;
};

#if VM_TRACE_FST
// Verilator's writer ends the whole process when the disk is full. Calls of abort() come here instead (build_rtl.py
// links with --wrap=abort), and while it writes they lead back out of it.
static thread_local std::jmp_buf *escape = nullptr;
extern "C" {
[[noreturn]] void __real_abort(void); // NOLINT(bugprone-reserved-identifier): the linker's names
[[noreturn]] void __wrap_abort(void); // NOLINT(bugprone-reserved-identifier)
void __wrap_abort(void)               // NOLINT(bugprone-reserved-identifier)
{
  if (escape)
    std::longjmp(*escape, 1); // NOLINT(cert-err52-cpp): what it leaves behind is given up, see write_wave()
  __real_abort();
}
}
#endif

namespace
{

// Ports of up to 64 bits are integers, wider ones arrays of words: one way to read and write both.
template <typename T> uint64_t bits_of(const T &port, unsigned group)
{
  if constexpr (std::is_integral_v<T>) {
    return group == 0 ? static_cast<uint64_t>(port) : 0;
  } else {
    uint64_t low = port.at(2 * group);
    return low | (static_cast<uint64_t>(port.at(2 * group + 1)) << 32);
  }
}

template <typename T> void set_bit(T &port, unsigned bit, bool value)
{
  if constexpr (std::is_integral_v<T>) {
    T mask = static_cast<T>(1) << bit;
    port = static_cast<T>(value ? (port | mask) : (port & ~mask));
  } else {
    uint32_t mask = 1U << (bit % 32);
    if (value)
      port.at(bit / 32) |= mask;
    else
      port.at(bit / 32) &= ~mask;
  }
}

#if VM_TRACE_FST
// Lets the writer write. If it gives up, so do we: it is forgotten as it stands, and its file is not whole.
template <typename Write> void write_wave(struct weft_shim *s, Write write)
{
  std::jmp_buf here;
  auto *said = std::cerr.rdbuf(nullptr); // it would say so in words of its own
  escape = &here;
  if (setjmp(here) == 0) // NOLINT(cert-err52-cpp): there is no other way out of abort()
    write(*s->wave);
  else
    (void)s->wave.release();
  escape = nullptr;
  std::cerr.rdbuf(said);
}
#endif

// The state of this cycle, half a cycle after its beginning or at it.
void record(struct weft_shim *s, unsigned half)
{
#if VM_TRACE_FST
  if (s->wave && s->begun && s->cycle >= s->from && s->cycle <= s->to)
    write_wave(s, [=](VerilatedFstC &wave) { wave.dump(10 * s->cycle + half); });
#else
  (void)s;
  (void)half;
#endif
}

// Every fabric leaves what it counted in a file of its own: several may live in one process, or at once.
void write_coverage(struct weft_shim *s)
{
#if VM_COVERAGE
  static std::atomic<unsigned> number;
  const char *folder = std::getenv("WEFT_COVERAGE");
  if (folder) {
    std::string name = "fabric-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".dat";
    s->context.coveragep()->write(std::string(folder) + "/" + name);
  }
#else
  (void)s;
#endif
}

void host_tick(struct weft_shim *s)
{
  weft_shim_settle(s);
  weft_shim_edge(s, false);
}

} // namespace

extern "C" {

struct weft_shim *weft_shim_new(void *handle, const char *wave, uint64_t from, uint64_t to)
{
  auto *s = new (std::nothrow) weft_shim;
  if (!s)
    return nullptr;
  s->cycle = 0;
  s->from = from;
  s->to = to ? to : UINT64_MAX;
  s->begun = false;
  s->context.assertOn(true);
  s->top = std::make_unique<Vsim_top>(&s->context);
#if VM_TRACE_FST
  if (wave) {
    s->context.traceEverOn(true);
    s->wave = std::make_unique<VerilatedFstC>();
    s->top->trace(s->wave.get(), 99);
    s->wave->open(wave);
  }
#else
  (void)wave;
#endif
  s->top->handle_i = reinterpret_cast<intptr_t>(handle);
  s->top->clk_i = 0;
  s->top->clk_host_i = 0;
  s->top->rst_ni = 0;
  return s;
}

bool weft_shim_can_wave(void)
{
#if VM_TRACE_FST
  return true;
#else
  return false;
#endif
}

void weft_shim_wave_begin(struct weft_shim *s)
{
  s->cycle = 0;
  s->begun = true;
}

void weft_shim_wave_end(struct weft_shim *s)
{
#if VM_TRACE_FST
  if (s->wave)
    write_wave(s, [](VerilatedFstC &wave) { wave.close(); });
  s->wave.reset();
#else
  (void)s;
#endif
}

void weft_shim_free(struct weft_shim *s)
{
  if (!s)
    return;
  weft_shim_wave_end(s);
  s->top->final();
  write_coverage(s);
  delete s;
}

void weft_shim_reset(struct weft_shim *s, bool active)
{
  s->top->rst_ni = !active;
}

void weft_shim_events(struct weft_shim *s, void *handle)
{
  s->top->handle_i = reinterpret_cast<intptr_t>(handle);
}

void weft_shim_settle(struct weft_shim *s)
{
  s->top->clk_i = 0;
  s->top->clk_host_i = 0;
  s->top->eval();
  s->context.timeInc(1);
}

void weft_shim_edge(struct weft_shim *s, bool fabric)
{
  if (fabric)
    record(s, 5);
  s->top->clk_i = fabric;
  s->top->clk_host_i = 1;
  s->top->eval();
  s->context.timeInc(1);
  if (fabric) {
    s->cycle++;
    record(s, 0);
  }
}

void weft_shim_offer(struct weft_shim *s, unsigned port, const uint32_t *words)
{
  auto &request = s->top->cu_req_i[port];
  std::memcpy(request.data(), words, sizeof request);
  set_bit(s->top->cu_valid_i, port, true);
}

void weft_shim_withdraw(struct weft_shim *s, unsigned port)
{
  set_bit(s->top->cu_valid_i, port, false);
}

uint64_t weft_shim_ready(const struct weft_shim *s, unsigned group)
{
  return bits_of(s->top->cu_ready_o, group);
}

uint64_t weft_shim_answered(const struct weft_shim *s, unsigned group)
{
  return bits_of(s->top->cu_valid_o, group);
}

void weft_shim_answer(const struct weft_shim *s, unsigned port, uint32_t *words)
{
  const auto &response = s->top->cu_rsp_o[port];
  std::memcpy(words, response.data(), sizeof response);
}

void weft_shim_hold(struct weft_shim *s, uint64_t bits)
{
  s->top->hold_i = static_cast<std::decay_t<decltype(s->top->hold_i)>>(bits);
}

void weft_shim_noise(struct weft_shim *s, unsigned link, uint32_t bits)
{
  s->top->noise_i[link] = bits;
}

uint64_t weft_shim_links_down(const struct weft_shim *s)
{
  return s->top->links_down_o;
}

uint32_t weft_shim_read(struct weft_shim *s, uint32_t address)
{
  s->top->host_valid_i = 1;
  s->top->host_write_i = 0;
  s->top->host_address_i = address;
  weft_shim_settle(s);
  while (!s->top->host_ready_o) {
    weft_shim_edge(s, false);
    weft_shim_settle(s);
  }
  uint32_t value = s->top->host_rdata_o;
  weft_shim_edge(s, false);
  s->top->host_valid_i = 0;
  host_tick(s);
  return value;
}

void weft_shim_write(struct weft_shim *s, uint32_t address, uint32_t value)
{
  s->top->host_valid_i = 1;
  s->top->host_write_i = 1;
  s->top->host_address_i = address;
  s->top->host_wdata_i = value;
  weft_shim_settle(s);
  while (!s->top->host_ready_o) {
    weft_shim_edge(s, false);
    weft_shim_settle(s);
  }
  weft_shim_edge(s, false);
  s->top->host_valid_i = 0;
  host_tick(s);
}

bool weft_shim_dump(struct weft_shim *s)
{
#ifdef NETLIST
  (void)s;
  return false;
#else
  s->top->dump_i = 1;
  host_tick(s);
  s->top->dump_i = 0;
  return true;
#endif
}

void weft_shim_memory(struct weft_shim *s, uint64_t address, uint8_t *line, bool write)
{
  s->top->hmem_en_i = 1;
  s->top->hmem_write_i = write;
  s->top->hmem_address_i = address;
  if (write)
    std::memcpy(s->top->hmem_wdata_i.data(), line, sizeof s->top->hmem_wdata_i);
  host_tick(s);
  s->top->hmem_en_i = 0;
  if (!write) {
    weft_shim_settle(s);
    std::memcpy(line, s->top->hmem_rdata_o.data(), sizeof s->top->hmem_rdata_o);
  }
}

} // extern "C"
