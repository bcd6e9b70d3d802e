-- Grants a free name, and mints its fencing token in the same step.
--
-- KEYS[1]  the lock: a string "<id>:<token>" with a time to live, or nothing
-- KEYS[2]  the counter of the name space: one number, never expires
-- ARGV[1]  the id of this acquisition
-- ARGV[2]  the lease in milliseconds
--
-- Reply    the token as a bulk string if the name is held by this acquisition now; sent again, it answers the same
--          the remaining time of another holder in milliseconds as an integer, negative if that key never expires
local held = redis.call('GET', KEYS[1])
if held then
  local own = ARGV[1] .. ':'
  local left = redis.call('PTTL', KEYS[1])
  if string.sub(held, 1, #own) ~= own then
    return left
  end
  if left < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  return string.sub(held, #own + 1)
end
local count = redis.call('INCR', KEYS[2])
if count < 1 then
  return redis.error_reply('ERR the token counter ' .. KEYS[2] .. ' is not positive')
end
-- A Lua number is a double: from 2^53 on the counter has to be read as text.
local token = count < 9007199254740992 and string.format('%.0f', count) or redis.call('GET', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. token, 'PX', ARGV[2])
return token
