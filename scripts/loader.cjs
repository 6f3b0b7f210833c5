'use strict';
exports.load = (name) => require(`./${name}`);
