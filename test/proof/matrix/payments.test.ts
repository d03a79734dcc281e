import { payments } from './paths/payments.js'
import { testPaths } from './test-paths.js'

testPaths('payments', payments)
