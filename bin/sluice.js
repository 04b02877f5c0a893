#!/usr/bin/env node
// Says plainly what an older Node.js would fail on in a hundred lines; then runs the command.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 13)) {
  await import('../dist/cli/main.js');
} else {
  console.error(`sluice: needs Node.js 22.13 or newer; this is ${process.versions.node}`);
  process.exitCode = 1;
}
