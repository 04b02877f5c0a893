import { readFileSync, statSync } from 'node:fs';
import { arch, freemem, loadavg, platform, release, totalmem, type, uptime, version } from 'node:os';

/** What does not change while the program runs. */
export interface HostConstants {
  readonly intl: { readonly locale: string; readonly timeZone: string };
  readonly nodejs: { readonly version: string; readonly arch: string; readonly platform: string };
  readonly os: {
    readonly containerised: boolean;
    readonly wsl: boolean;
    readonly arch: string;
    readonly platform: string;
    readonly release: string;
    readonly type: string;
    readonly version: string;
  };
}

/** Reads what does not change: some of it costs files or tables. */
export function readHost(): HostConstants {
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const containerised = isContainer();
  return {
    intl: { locale, timeZone },
    nodejs: { version: process.version, arch: process.arch, platform: process.platform },
    os: {
      containerised,
      wsl: !containerised && isWsl(),
      arch: arch(),
      platform: platform(),
      release: release(),
      type: type(),
      version: version(),
    },
  };
}

/** What does change: bytes, load averages of 1, 5 and 15 minutes, seconds. */
export function readLoad() {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  return {
    memoryUsage: { rss, heapTotal, heapUsed, external, arrayBuffers },
    totalmem: totalmem(),
    freemem: freemem(),
    loadavg: loadavg(),
    uptime: uptime(),
  };
}

/** Docker and Podman leave a file; others are told from the control group of this process. */
function isContainer(): boolean {
  if (platform() !== 'linux') return false;
  if (exists('/.dockerenv') || exists('/run/.containerenv')) return true;
  return /docker|kubepods|containerd|libpod|lxc/.test(read('/proc/self/cgroup'));
}

/** The Windows Subsystem for Linux names its maker in the kernel's version. */
function isWsl(): boolean {
  return platform() === 'linux' && /microsoft/i.test(release() + read('/proc/version'));
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
