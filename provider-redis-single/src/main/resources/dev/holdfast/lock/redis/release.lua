-- Frees a name if it is held by this acquisition, and tells those who wait for it.
--
-- KEYS[1]  the lock
-- ARGV[1]  the id of the acquisition
-- ARGV[2]  the channel of the name (not a key: libraries that rewrite keys leave it alone)
--
-- Reply    1 if it was freed, 0 if it was not held by this acquisition
local held = redis.call('GET', KEYS[1])
local own = ARGV[1] .. ':'
if not held or string.sub(held, 1, #own) ~= own then
  return 0
end
-- Published first, so that a user without permission to publish changes nothing. Nobody reads it before this script ends.
redis.call('PUBLISH', ARGV[2], '')
redis.call('DEL', KEYS[1])
return 1
