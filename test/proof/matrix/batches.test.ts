import { batches } from './paths/batches.js'
import { testPaths } from './test-paths.js'

testPaths('batches', batches)
