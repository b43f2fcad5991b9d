# A pendulum on a cart, free; phi = 0 is upright, so this one hangs and swings.
# Veigend, PhD thesis (Brno 2023), sec. 6.3 (6.37), (6.38), Table 6.16.
param M = 10 [kg], m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
input u = 0 [N]

x''   = (u + m*l*sin(phi)*phi'^2 - m*g*sin(phi)*cos(phi)) / (M + m*sin(phi)^2)
phi'' = (-u*cos(phi) + (M+m)*g*sin(phi) - m*l*sin(phi)*cos(phi)*phi'^2) / (M*l + m*l*sin(phi)^2)

init x = -1 [m], x' = 0 [m/s], phi = pi + 0.1 [rad], phi' = 0 [rad/s]
output E = 0.5*(M+m)*x'^2 + m*l*x'*phi'*cos(phi) + 0.5*m*l^2*phi'^2 + m*g*l*cos(phi) [J]
run 0 .. 12
