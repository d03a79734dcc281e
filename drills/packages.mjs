import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Programs from Debian's packages. A drill never installs one. */
const programs = {
  patroni: { package: 'patroni', file: 'patroni' },
  etcd: { package: 'etcd-server', file: 'etcd' },
  haproxy: { package: 'haproxy', file: 'haproxy' },
  postgres: { package: 'postgresql-15', file: '/usr/lib/postgresql/15/bin/postgres' },
}

/** Absolute paths of the named programs; throws the install command when one is missing. */
export function findPrograms(names) {
  const found = names.map((name) => [name, findProgram(programs[name].file)])
  const missing = found.filter(([, file]) => !file).map(([name]) => programs[name].package)
  if (missing.length > 0)
    throw new Error(
      `Missing: ${missing.join(', ')}. On Debian 12, install ${missing.length > 1 ? 'them' : 'it'} with:\n` +
        `  sudo apt-get install --no-install-recommends ${missing.join(' ')}\n` +
        'The drill starts its own processes. You can disable the services that the packages enable:\n' +
        '  sudo systemctl disable --now postgresql patroni etcd haproxy',
    )
  return Object.fromEntries(found)
}

function findProgram(file) {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin']
  const candidates = path.isAbsolute(file) ? [file] : folders.map((each) => path.join(each, file))
  return candidates.find(isExecutable)
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
