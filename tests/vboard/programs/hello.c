/* SPDX-License-Identifier: Apache-2.0 */
/* A plain libusb program that knows nothing of any emulation: zeros, a reset frame, and the board's hello.
 * hello [SERIAL] [uart] */
#include <libusb-1.0/libusb.h>
#include <stdio.h>
#include <string.h>

#include "host_message.h"

static int fails(const char *what, int code)
{
  fprintf(stderr, "%s: %s\n", what, libusb_error_name(code));
  return 1;
}

static libusb_device_handle *find(libusb_context *context, const char *serial, uint16_t product)
{
  libusb_device **list;
  libusb_device_handle *found = NULL;
  if (libusb_get_device_list(context, &list) < 0)
    return NULL;
  for (size_t i = 0; !found && list[i]; i++) {
    struct libusb_device_descriptor d;
    unsigned char text[64] = "";
    if (libusb_get_device_descriptor(list[i], &d) || d.idVendor != 0x0403 || d.idProduct != product ||
        libusb_open(list[i], &found))
      continue;
    libusb_get_string_descriptor_ascii(found, d.iSerialNumber, text, sizeof text);
    if (strcmp((char *)text, serial) != 0) {
      libusb_close(found);
      found = NULL;
    }
  }
  libusb_free_device_list(list, 1);
  return found;
}

/* Reads until the hello has come; drops the two status bytes of each packet. */
static bool receive(libusb_device_handle *handle, unsigned packet, struct weft_host_receiver *r)
{
  for (int tries = packet < 512 ? 60 : 12; tries; tries--) { /* a UART is slow */
    uint8_t bytes[4096];
    int count = 0;
    int code = libusb_bulk_transfer(handle, 0x81, bytes, (int)sizeof bytes, &count, 20000);
    if (code) {
      fails("bulk in", code);
      return false;
    }
    for (unsigned i = 0; i < (unsigned)count; i++)
      if (i % packet >= 2 && weft_host_receive(r, bytes[i]) == WEFT_HOST_FRAME &&
          r->header.kind == WEFT_HOST_RESET)
        return true;
  }
  fprintf(stderr, "the board says nothing\n");
  return false;
}

static int ask(libusb_device_handle *handle, bool uart)
{
  static struct weft_host_receiver receiver;
  struct weft_host_header header = { .kind = WEFT_HOST_RESET, .length = WEFT_HOST_RESET_BYTES };
  struct weft_host_answer answer;
  uint8_t payload[WEFT_HOST_RESET_BYTES], frame[WEFT_HOST_FRAME_MAX * 2] = { 0 };
  int count, code;
  weft_host_reset_write(0x1234, WEFT_HOST_RESET_FABRIC, payload);
  size_t bytes = WEFT_HOST_FRAME_MAX + weft_host_frame_write(&header, payload, frame + WEFT_HOST_FRAME_MAX);
  if ((code = libusb_control_transfer(handle, 0x40, 0x00, 0, 0, NULL, 0, 1000)) < 0 ||
      (code = libusb_control_transfer(handle, 0x40, 0x09, 1, 0, NULL, 0, 1000)) < 0 ||
      (code = uart ? libusb_control_transfer(handle, 0x40, 0x03, 0, 0, NULL, 0, 1000)
                   : libusb_control_transfer(handle, 0x40, 0x0b, 0x4000, 0, NULL, 0, 1000)) < 0)
    return fails("vendor request", code);
  code = libusb_bulk_transfer(handle, 0x02, frame, (int)bytes, &count, 20000);
  if (code || (size_t)count != bytes)
    return fails("bulk out", code);
  weft_host_receiver_reset(&receiver);
  if (!receive(handle, uart ? 64 : 512, &receiver) ||
      !weft_host_answer_read(&answer, 32, receiver.payload, receiver.header.length))
    return 1;
  printf("hello: version %u, ABI %u, hash ", answer.identity.version, answer.identity.abi);
  for (unsigned i = 0; i < sizeof answer.identity.hash; i++)
    printf("%02x", answer.identity.hash[i]);
  printf(", %u nodes, nonce %04x\n", answer.identity.nodes, answer.identity.nonce);
  return answer.code != WEFT_HOST_IDENTITY || answer.identity.nonce != 0x1234;
}

int main(int argc, char **argv)
{
  libusb_context *context;
  bool uart = argc > 2 && !strcmp(argv[2], "uart");
  int code = libusb_init(&context);
  if (code)
    return fails("init", code);
  libusb_device_handle *handle = find(context, argc > 1 ? argv[1] : "VIRTUAL", uart ? 0x6015 : 0x6014);
  if (!handle) {
    fprintf(stderr, "no such device\n");
    return 1;
  }
  code = libusb_claim_interface(handle, 0);
  int result = code ? fails("claim", code) : ask(handle, uart);
  libusb_close(handle);
  libusb_exit(context);
  return result;
}
