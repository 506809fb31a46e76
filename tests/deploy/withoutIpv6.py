"""Runs a command as on a kernel without IPv6: withoutIpv6.py COMMAND…

It and all that it starts are refused sockets for IPv6 with EAFNOSUPPORT, by a seccomp filter. Needs Linux, but not root.
"""

import ctypes
import errno
import os
import platform
import socket
import struct
import sys

SOCKET_CALL = {"x86_64": 41, "aarch64": 198}[platform.machine()]
LOAD_WORD, JUMP_UNLESS_EQUAL, RETURN = 0x20, 0x15, 0x06
CALL_NUMBER, FIRST_ARGUMENT = 0, 16
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EAFNOSUPPORT
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2

FILTER = [
    (LOAD_WORD, 0, 0, CALL_NUMBER),
    (JUMP_UNLESS_EQUAL, 0, 3, SOCKET_CALL),
    (LOAD_WORD, 0, 0, FIRST_ARGUMENT),
    (JUMP_UNLESS_EQUAL, 0, 1, socket.AF_INET6),
    (RETURN, 0, 0, REFUSE),
    (RETURN, 0, 0, ALLOW),
]


def main():
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in FILTER))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(FILTER), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    for option, *arguments in (
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_void_p(ctypes.addressof(program)), 0, 0),
    ):
        if libc.prctl(option, *arguments) != 0:
            sys.exit(f"No seccomp filter here: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[1], sys.argv[1:])


main()
