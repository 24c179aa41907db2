/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a board on the USB. */
#include "usb_device.h"

#include <libusb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "usb_ftdi.h"
#include "usb_transfers.h"

#define DEPTH 4U
#define CONTROL_MS 1000U
#define OUT_MS 5000U /* in which a board takes the bytes of one transfer, or never will */

static int tell_chip(struct weft_usb *d, const struct weft_ftdi_step *steps, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    int error =
      libusb_control_transfer(d->handle, LIBUSB_REQUEST_TYPE_VENDOR | LIBUSB_RECIPIENT_DEVICE,
                              steps[i].request, steps[i].value, steps[i].index, NULL, 0, CONTROL_MS);
    if (error < 0) {
      weft_usb_fails(d, WEFT_BACKEND_GONE,
                     error == LIBUSB_ERROR_NO_DEVICE ? "the board was unplugged while it was opened"
                                                     : "the USB chip does not take its settings",
                     CURE_STALL);
      return d->result;
    }
  }
  return WEFT_BACKEND_OK;
}

static void device_close(void *context)
{
  struct weft_usb *d = context;
  d->closing = true;
  if (d->handle) {
    weft_usb_end_slots(d);
    if (!d->result)
      tell_chip(d, d->chip->end, d->chip->end_count);
    libusb_release_interface(d->handle, 0);
    libusb_close(d->handle);
  }
  weft_usb_free_slots(d);
  if (d->context)
    libusb_exit(d->context);
  free(d);
}

/* The two bulk endpoints and their packets' size, by the descriptors. */
static bool read_endpoints(struct weft_usb *d, libusb_device *device)
{
  struct libusb_config_descriptor *config;
  if (libusb_get_active_config_descriptor(device, &config) &&
      libusb_get_config_descriptor(device, 0, &config))
    return false;
  const struct libusb_interface *interfaces = config->interface;
  if (config->bNumInterfaces && interfaces[0].num_altsetting)
    for (unsigned i = 0; i < interfaces[0].altsetting[0].bNumEndpoints; i++) {
      const struct libusb_endpoint_descriptor *p = &interfaces[0].altsetting[0].endpoint[i];
      if ((p->bmAttributes & 3U) != LIBUSB_TRANSFER_TYPE_BULK)
        continue;
      if (p->bEndpointAddress & LIBUSB_ENDPOINT_IN) {
        d->in_endpoint = p->bEndpointAddress;
        d->packet = p->wMaxPacketSize & 0x7ffU;
      } else {
        d->out_endpoint = p->bEndpointAddress;
      }
    }
  libusb_free_config_descriptor(config);
  return d->in_endpoint && d->out_endpoint && d->packet > WEFT_FTDI_STATUS_BYTES && IN_BYTES % d->packet == 0;
}

static int set_up(struct weft_usb *d)
{
  if (tell_chip(d, d->chip->before, d->chip->before_count))
    return d->result;
  return weft_usb_listen(d) ? tell_chip(d, d->chip->after, d->chip->after_count) : d->result;
}

/* Whoever comes over the network does not sit at the computer: he has it by the rule's group alone. */
#define CURE_RULE \
  "the udev rule 70-weft.rules gives it: `make install`, or copy sw/setup/70-weft.rules to /etc/udev/rules.d;\n" \
  "then plug the board in again. Over SSH also: `sudo usermod -aG plugdev $USER`, and log in again"

static int refused(int error, const char *name, struct weft_backend_error *e)
{
  switch (error) {
  case LIBUSB_ERROR_ACCESS:
    return weft_line_fails(e, WEFT_BACKEND_DENIED, "%s: no permission to use the board\n" CURE_RULE, name);
  case LIBUSB_ERROR_BUSY:
    return weft_line_fails(e, WEFT_BACKEND_BUSY,
                           "%s: the board is in use by another program\nend that one, or name another board: "
                           "`weft list` shows them",
                           name);
  case LIBUSB_ERROR_NO_DEVICE:
    return weft_line_fails(e, WEFT_BACKEND_GONE, "%s: the board was unplugged\n" CURE_PLUG, name);
  default:
    return weft_line_fails(e, WEFT_BACKEND_FAILED, "%s: it cannot be opened: %s\n" CURE_STALL, name,
                           libusb_strerror(error));
  }
}

static libusb_device *find_device(struct weft_usb *d, const struct weft_board_found *found)
{
  libusb_device **list, *device = NULL;
  ssize_t count = libusb_get_device_list(d->context, &list);
  for (ssize_t i = 0; i < count; i++)
    if (libusb_get_bus_number(list[i]) == found->bus && libusb_get_device_address(list[i]) == found->port)
      device = libusb_ref_device(list[i]);
  if (count >= 0)
    libusb_free_device_list(list, 1);
  return device;
}

static int claim(struct weft_usb *d, const struct weft_board_found *found, struct weft_backend_error *e)
{
  libusb_device *device = find_device(d, found);
  if (!device)
    return refused(LIBUSB_ERROR_NO_DEVICE, d->name, e);
  int error = libusb_open(device, &d->handle);
  bool ends = !error && read_endpoints(d, device);
  libusb_unref_device(device);
  if (error) {
    d->handle = NULL;
    return refused(error, d->name, e);
  }
  if (!ends)
    return weft_line_fails(e, WEFT_BACKEND_FAILED,
                           "%s: this is no chip that a board has: its endpoints are others\n"
                           "name another one: usb:serial=S; `weft list` shows them",
                           d->name);
  libusb_set_auto_detach_kernel_driver(d->handle, 1); /* gives way, and comes back at the end */
  error = libusb_claim_interface(d->handle, 0);
  if (error) {
    libusb_close(d->handle);
    d->handle = NULL;
    return refused(error, d->name, e);
  }
  return WEFT_BACKEND_OK;
}

/* The one that is meant, among those that there are. */
static int choose(const struct weft_usb_settings *settings, struct weft_board_found *chosen,
                  struct weft_backend_error *e)
{
  struct weft_board_found *boards;
  char names[512] = "";
  size_t count, fits = 0;
  int result = weft_usb_list(&boards, &count, e);
  if (result)
    return result;
  for (size_t i = 0; i < count; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
             boards[i].serial[0] ? boards[i].serial : "-");
    if (settings->serial[0] && strcmp(settings->serial, boards[i].serial) != 0)
      continue;
    *chosen = boards[i];
    fits++;
  }
  free(boards);
  if (fits == 1)
    return WEFT_BACKEND_OK;
  if (!count)
    return weft_line_fails(
      e, WEFT_BACKEND_ABSENT,
      "usb: no board is plugged in\nplug one in, or try `weft vboard -- COMMAND`, which emulates one");
  if (!fits)
    return weft_line_fails(
      e, WEFT_BACKEND_ABSENT,
      "usb: there is no board with serial number '%s'; there %s %s\nname one of them, or plug it in",
      settings->serial, count == 1 ? "is" : "are", names);
  if (settings->serial[0])
    return weft_line_fails(e, WEFT_BACKEND_AMBIGUOUS,
                           "usb: %zu boards have the serial number %s\nunplug all but one of them", fits,
                           settings->serial);
  return weft_line_fails(e, WEFT_BACKEND_AMBIGUOUS,
                         "usb: %zu boards are plugged in: %s\nname one by its serial number: usb:serial=S",
                         fits, names);
}

int weft_usb_open(struct weft_line *line, const struct weft_usb_settings *settings,
                  struct weft_backend_error *e)
{
  struct weft_board_found found;
  int result = choose(settings, &found, e);
  if (result)
    return result;
  struct weft_usb *d = calloc(1, sizeof *d);
  if (!d || libusb_init(&d->context)) {
    free(d);
    return weft_line_fails(
      e, WEFT_BACKEND_LACKS,
      "usb: libusb cannot begin: out of memory, or no USB on this computer\n"
      "see that `lsusb` works; a container or virtual machine must be given /dev/bus/usb");
  }
  d->chip = weft_ftdi_chip_at(strcmp(found.front, weft_ftdi_chip_at(0)->front) != 0);
  d->depth = settings->depth ? settings->depth : DEPTH;
  d->out_ms = settings->timeout_ms && settings->timeout_ms < OUT_MS ? settings->timeout_ms : OUT_MS;
  snprintf(d->name, sizeof d->name, "usb:serial=%s", found.serial);
  result = claim(d, &found, e);
  if (!result && !weft_usb_make_slots(d))
    result = weft_line_fails(e, WEFT_BACKEND_LACKS, "out of memory");
  if (!result && set_up(d))
    result = weft_usb_result(d, e);
  *line = (struct weft_line){
    .context = d, .send = weft_usb_send, .receive = weft_usb_receive, .close = device_close
  };
  memcpy(line->name, d->name, sizeof line->name);
  if (!result && getrandom(&line->nonce, sizeof line->nonce, 0) != (ssize_t)sizeof line->nonce)
    line->nonce = (uint32_t)time(NULL);
  if (result)
    device_close(d);
  return result;
}
