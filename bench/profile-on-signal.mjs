/**
 * Loaded into every measured process of a deployment. SIGUSR2 starts a CPU profile; the next one
 * ends it and writes it to `BENCH_PROFILE_FOLDER` under the process id.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

const samplingIntervalUs = 500
let session

async function startProfile() {
  session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: samplingIntervalUs })
  await session.post('Profiler.start')
}

async function endProfile() {
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  session = undefined
  const file = path.join(process.env.BENCH_PROFILE_FOLDER, `${process.pid}.cpuprofile`)
  // Renamed when complete: a reader never sees half a file.
  writeFileSync(`${file}.new`, JSON.stringify(profile))
  renameSync(`${file}.new`, file)
}

if (isMainThread) process.on('SIGUSR2', () => (session ? endProfile() : startProfile()))
