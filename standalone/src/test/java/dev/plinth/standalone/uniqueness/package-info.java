/** Every way to an id at once, for as long as one likes, over crashes; every id is checked. */
package dev.plinth.standalone.uniqueness;
