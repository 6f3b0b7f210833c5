import './through.js';
import '../../service/sdk/ai.test.js';
