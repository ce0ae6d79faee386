// Package canvas draws pictures as SVG: text, bars and lines in the colours of all
// pictures of awsmigrate, for light and for dark surroundings. It knows nothing of what is
// drawn, and escapes every text that it is given.
package canvas
