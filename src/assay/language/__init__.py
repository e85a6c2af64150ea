"""What people write about measurements: numbers, terms, cues, and the claims that sentences make of them."""
