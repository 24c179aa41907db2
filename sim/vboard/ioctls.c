/* SPDX-License-Identifier: Apache-2.0 */
/* The ioctls of usbdevfs, as far as libusb uses them. */
#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "usbfs.h"

struct answer {
  long result;
  int error;
};

static struct answer fails(int error)
{
  return (struct answer){ -1, error };
}

static struct answer succeeds(void)
{
  return (struct answer){ 0, 0 };
}

static struct answer capabilities(UMockdevIoctlData *argument)
{
  UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(uint32_t), NULL);
  if (!data)
    return fails(EFAULT);
  uint32_t can = USBDEVFS_CAP_BULK_CONTINUATION | USBDEVFS_CAP_NO_PACKET_SIZE_LIM |
                 USBDEVFS_CAP_REAP_AFTER_DISCONNECT | USBDEVFS_CAP_ZERO_PACKET;
  memcpy(data->data, &can, sizeof can);
  g_object_unref(data);
  return succeeds();
}

/* Whoever closes the node, or ends, gives back what he had. */
static void give_back(struct usbfs *u, UMockdevIoctlClient *client)
{
  device_cancel_all(&u->device, client);
  for (struct transfer *t; (t = device_reap(&u->device, client));)
    ioctls_free(t);
  if (u->owner == client)
    g_clear_object(&u->owner);
}

static struct answer claim(struct usbfs *u, UMockdevIoctlClient *client)
{
  if (u->busy || (u->owner && u->owner != client))
    return fails(EBUSY);
  if (!u->owner)
    u->owner = g_object_ref(client); /* so that no later one is taken for it */
  return succeeds();
}

static struct answer release(struct usbfs *u, UMockdevIoctlClient *client)
{
  if (u->owner != client)
    return fails(EINVAL);
  g_clear_object(&u->owner);
  return succeeds();
}

void ioctls_free(struct transfer *t)
{
  g_object_unref(t->token);
  free(t);
}

static struct answer submit(struct usbfs *u, UMockdevIoctlClient *client, UMockdevIoctlData *argument)
{
  struct usbdevfs_urb *urb;
  UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof *urb, NULL), *buffer = NULL;
  if (!data)
    return fails(EFAULT);
  urb = (void *)data->data;
  if (urb->buffer_length > 0)
    buffer = umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer),
                                         (size_t)urb->buffer_length, NULL);
  struct transfer *t = calloc(1, sizeof *t);
  if (!t || (urb->buffer_length > 0 && !buffer)) {
    free(t);
    g_object_unref(data);
    return fails(t ? EFAULT : ENOMEM);
  }
  t->control = urb->type == USBDEVFS_URB_TYPE_CONTROL;
  t->endpoint = urb->endpoint;
  t->bytes = buffer ? buffer->data : NULL;
  t->length = urb->buffer_length > 0 ? (uint32_t)urb->buffer_length : 0;
  t->owner = client;
  t->name = data->client_addr;
  t->token = data; /* and with it the buffer */
  if (buffer)
    g_object_unref(buffer);
  device_submit(&u->device, t);
  return succeeds();
}

static int status_of(enum device_result result)
{
  switch (result) {
  case DEVICE_STALLED:
    return -EPIPE;
  case DEVICE_GONE:
    return -ESHUTDOWN;
  case DEVICE_CANCELLED:
    return -ENOENT;
  case DEVICE_OVERFLOW:
    return -EOVERFLOW;
  default:
    return 0;
  }
}

/* What is written into the program's memory follows from what changed in `data` and its buffer. */
static struct answer reap(struct usbfs *u, UMockdevIoctlClient *client, UMockdevIoctlData *argument)
{
  struct transfer *t = device_reap(&u->device, client);
  if (!t)
    return fails(u->device.gone ? ENODEV : EAGAIN);
  UMockdevIoctlData *pointer = umockdev_ioctl_data_resolve(argument, 0, sizeof(void *), NULL);
  UMockdevIoctlData *data = t->token;
  struct usbdevfs_urb *urb = (void *)data->data;
  urb->status = status_of(t->result);
  urb->actual_length = (int)t->actual;
  if (pointer) {
    umockdev_ioctl_data_set_ptr(pointer, 0, data);
    g_object_unref(pointer);
  }
  ioctls_free(t);
  return pointer ? succeeds() : fails(EFAULT);
}

static struct answer discard(struct usbfs *u, UMockdevIoctlClient *client, UMockdevIoctlData *argument)
{
  unsigned long address;
  memcpy(&address, argument->data, sizeof address);
  return device_cancel(&u->device, client, address) ? succeeds() : fails(EINVAL);
}

static struct answer clear_halt(struct usbfs *u, UMockdevIoctlData *argument)
{
  UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(unsigned), NULL);
  unsigned endpoint;
  if (!data)
    return fails(EFAULT);
  memcpy(&endpoint, data->data, sizeof endpoint);
  g_object_unref(data);
  device_clear_halt(&u->device, (uint8_t)endpoint);
  return succeeds();
}

static struct answer serve_ioctl(struct usbfs *u, UMockdevIoctlClient *client)
{
  UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg(client);
  unsigned long request = umockdev_ioctl_client_get_request(client);
  if (request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY)
    return reap(u, client, argument);
  if (u->device.gone)
    return fails(ENODEV);
  switch (request) {
  case USBDEVFS_GET_CAPABILITIES:
    return capabilities(argument);
  case USBDEVFS_CLAIMINTERFACE:
    return claim(u, client);
  case USBDEVFS_RELEASEINTERFACE:
    return release(u, client);
  case USBDEVFS_CLEAR_HALT:
    return clear_halt(u, argument);
  case USBDEVFS_RESET:
  case USBDEVFS_SETCONFIGURATION:
  case USBDEVFS_SETINTERFACE:
    return succeeds();
  case USBDEVFS_GETDRIVER:
  case USBDEVFS_IOCTL: /* to its driver, which a host may want to be rid of: there is none */
    return fails(ENODATA);
  case USBDEVFS_SUBMITURB:
    return submit(u, client, argument);
  case USBDEVFS_DISCARDURB:
    return discard(u, client, argument);
  default:
    return fails(ENOTTY);
  }
}

gboolean ioctls_serve(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer context)
{
  struct usbfs *u = context;
  (void)base;
  pthread_mutex_lock(&u->lock);
  /* umockdev does not tell of a client that was killed. */
  if (u->owner && u->owner != client && !umockdev_ioctl_client_get_connected(u->owner))
    give_back(u, u->owner);
  struct answer answer = serve_ioctl(u, client);
  usbfs_level(u);
  pthread_cond_signal(&u->wake);
  pthread_mutex_unlock(&u->lock);
  umockdev_ioctl_client_complete(client, answer.result, answer.error);
  return TRUE;
}

void ioctls_vanished(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer context)
{
  struct usbfs *u = context;
  (void)base;
  pthread_mutex_lock(&u->lock);
  give_back(u, client);
  usbfs_level(u);
  pthread_mutex_unlock(&u->lock);
}
