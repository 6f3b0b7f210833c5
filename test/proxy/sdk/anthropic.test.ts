import './through.js';
import '../../service/sdk/anthropic/failures.test.js';
import '../../service/sdk/anthropic/messages.test.js';
import '../../service/sdk/anthropic/tools.test.js';
