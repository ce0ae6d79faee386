// Package yamltext edits the text of a YAML document and changes only the necessary bytes. It
// finds places by a parser's node positions and splices text; it never encodes the document.
// Before it returns a result, it decodes it with two decoders and compares: the result means
// the old text with the changes and nothing else. An edit can be undone in a text that has
// changed elsewhere.
//
// Edits that are not safe are refused with a line and a reason: a *fault.Error of class Usage.
//
// The package knows YAML alone. A Reader knows the meaning of keys, the program that reads the
// text, and what that program accepts. The caller stores the text: this package knows no file,
// disk or client.
package yamltext
