setInterval(() => postMessage(0), 1_000);
