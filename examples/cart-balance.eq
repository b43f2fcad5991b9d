# The same pendulum on a cart, written as the two balances: both accelerations stand in both equations.
# Veigend, PhD thesis (Brno 2023), sec. 6.3.1 (6.35), (6.36); the solution equals that of cart.eq.
param M = 10 [kg], m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
input u = 0 [N]

(M+m)*x'' + m*l*cos(phi)*phi'' = u + m*l*sin(phi)*phi'^2
cos(phi)*x'' + l*phi''         = g*sin(phi)

init x = -1 [m], x' = 0 [m/s], phi = pi + 0.1 [rad], phi' = 0 [rad/s]
output E = 0.5*(M+m)*x'^2 + m*l*x'*phi'*cos(phi) + 0.5*m*l^2*phi'^2 + m*g*l*cos(phi) [J]
run 0 .. 12
