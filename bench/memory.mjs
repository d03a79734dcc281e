import { readFileSync } from 'node:fs'
import { listProcesses } from './cpu.mjs'

/** Resident memory of one process in MB, shared pages included. */
export function readResidentMb(pid) {
  return readKilobytes(`/proc/${pid}/status`, 'VmRSS') / 1_024
}

/**
 * Memory of a process and its children in MB. Pages that several of them use count once: the
 * backends of PostgreSQL share its buffers, so the sum of their resident memory means nothing.
 */
export function readFamilyMb(root) {
  const family = listProcesses().filter(({ pid, parent }) => pid === root || parent === root)
  const sum = family.reduce(
    (kilobytes, { pid }) => kilobytes + readKilobytes(`/proc/${pid}/smaps_rollup`, 'Pss'),
    0,
  )
  return sum / 1_024
}

/** The child of a process whose command line has this text. */
export function findChild(parentPid, text) {
  return listProcesses().find(
    ({ pid, parent }) => parent === parentPid && readCommandLine(pid).includes(text),
  )?.pid
}

function readCommandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** 0 if the process has ended meanwhile. */
function readKilobytes(file, field) {
  try {
    const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'))
    return Number(line?.[1] ?? 0)
  } catch {
    return 0
  }
}
