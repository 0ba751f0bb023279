"""From a photo to the cards on it: detector, reader, physical cards, groups."""
