// Package standin serves as many Nodes and EC2 instances as are asked for, to
// measure what reads them.
//
// The API server leaves out everything but the list of Nodes and /version: no
// storage, no authorisation, no watch, no compression; a list is made page by page
// and never changes. EC2 leaves out signatures, rights, throttling and every
// filter but instance-id and tag-key; IAM and STS know one caller and one role.
package standin
