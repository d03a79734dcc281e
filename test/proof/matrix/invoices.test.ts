import { invoicePaths } from './paths/invoices.js'
import { testPaths } from './test-paths.js'

testPaths('invoices', invoicePaths)
