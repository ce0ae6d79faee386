// Package yamltext edits the text of a YAML document, and changes the needed bytes
// and no other. Places are found with the node positions of a parser, text is
// spliced, never encoded again, and the result is decoded with two decoders and
// compared before it is given out: it means the old text with the changes and
// nothing else. An edit can be taken back in a text that has changed elsewhere since.
//
// What cannot be edited safely is refused, with its line and the reason: a
// *fault.Error of class Usage.
//
// It knows YAML alone. What a key means, which program reads the text and what that
// program takes are a Reader's; where the text is kept is its caller's. It knows no
// file, no disk and no client.
package yamltext
