# The DC motor with state feedback and a voltage that is limited to 5.2 V; 5.005 V hold the reference.
# Veigend, PhD thesis (Brno 2023), sec. 6.1.4; the limit is chosen here.
param J = 0.01 [kg*m^2],    b = 0.1 [N*m*s]          # inertia, friction
param R = 1 [Ohm],          L = 0.5 [H]              # armature
param K_e = 0.01 [V*s/rad], K_T = 0.01 [N*m/A]       # back e.m.f., torque
param w = 0 [N*m]                                    # disturbance torque
param k1 = 12.99 [V*s/rad], k2 = -1 [V/A]            # feedback of omega and i
param kr = 13 [V*s/rad],    omega_r = 0.5 [rad/s]    # reference
param u_max = 5.2 [V]

def sat(x) = max(-1, min(1, x))
wish = -k1*omega - k2*i + kr*omega_r [V]
u    = u_max*sat(wish/u_max) [V]

J*omega' + b*omega = K_T*i - w
L*i'     + R*i     = u - K_e*omega

init omega = 0 [rad/s], i = 0 [A]
output e = omega_r - omega [rad/s]
run 0 .. 5
