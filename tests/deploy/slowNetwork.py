"""Runs a command in a network of its own, in which the name `slow` has two addresses.

    slowNetwork.py FOLDER PORT=SOCKET… -- COMMAND…

A round trip to the IPv4 address takes 300 ms, and each PORT there leads to a Unix socket; the IPv6 address leads nowhere.
Needs Linux and root, and `unshare --net --mount` in front.
"""

import fcntl
import os
import queue
import socket
import struct
import subprocess
import sys
import threading
import time

ONE_WAY_SECONDS = 0.15
TUNSETIFF = 0x400454CA
IFF_TUN_WITHOUT_HEADER = 0x1001

tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", b"slow", IFF_TUN_WITHOUT_HEADER))
packets = queue.Queue()


def main():
    folder, *arguments = sys.argv[1:]
    end = arguments.index("--")
    for command in (
        "ip link set lo up",
        "ip address add 10.9.0.1/24 dev slow",
        "ip address add fd00:9::1/64 dev slow nodad",
        "ip link set slow up",
    ):
        subprocess.run(command.split(), check=True)
    with open(f"{folder}/hosts", "w") as hosts:
        hosts.write("127.0.0.1 localhost\n10.9.0.2 slow\nfd00:9::2 slow\n")
    subprocess.run(["mount", "--bind", hosts.name, "/etc/hosts"], check=True)
    start(receive)
    start(send_later)
    for port, path in (argument.split("=") for argument in arguments[:end]):
        start(serve, socket.create_server(("10.9.0.1", int(port))), path)
    sys.exit(subprocess.run(arguments[end + 1 :]).returncode)


def start(work, *arguments):
    threading.Thread(target=work, args=arguments, daemon=True).start()


def receive():
    """Sends a packet for 10.9.0.2 back as one from there: what connects to 10.9.0.2 reaches what listens at 10.9.0.1."""
    while True:
        packet = os.read(tun, 65536)
        if packet[0] >> 4 == 4:
            swapped = packet[:12] + packet[16:20] + packet[12:16] + packet[20:]
            packets.put((time.monotonic() + ONE_WAY_SECONDS, swapped))


def send_later():
    while True:
        due, packet = packets.get()
        time.sleep(max(0, due - time.monotonic()))
        os.write(tun, packet)


def serve(server, path):
    while True:
        near, _ = server.accept()
        far = socket.socket(socket.AF_UNIX)
        far.connect(path)
        start(relay, near, far)
        start(relay, far, near)


def relay(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


main()
