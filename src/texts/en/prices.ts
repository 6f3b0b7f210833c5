import { englishPrices } from '../../api/model-facts.js';

export const prices = englishPrices('/');
