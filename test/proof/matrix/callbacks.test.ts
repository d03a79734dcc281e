import { callbacks } from './paths/callbacks.js'
import { testPaths } from './test-paths.js'

testPaths('callbacks', callbacks)
