import { idempotency } from './paths/idempotency.js'
import { testPaths } from './test-paths.js'

testPaths('idempotency', idempotency)
